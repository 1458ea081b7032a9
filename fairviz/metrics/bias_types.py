"""Types of social bias, and whom a stereotype favours in each: names for signs."""

from typing import NamedTuple


class BiasType(NamedTuple):
    """A type of social bias.

    Attributes:
        slug: Its category in BBQ ("Gender_identity").
        label: What to call it.
        aliases: Other spellings, lower case, as in other languages' versions and in papers.
        advantaged: Whom answers along the stereotype mostly favour: the sign +.
        disadvantaged: Whom answers against it favour: the sign −.
    """

    slug: str
    label: str
    aliases: tuple[str, ...]
    advantaged: str
    disadvantaged: str


BIAS_TYPES = (
    BiasType("Age", "Age", ("ages",), "younger people", "older people"),
    BiasType(
        "Disability_status",
        "Disability",
        ("disability", "disability status"),
        "people without disabilities",
        "disabled people",
    ),
    BiasType("Gender_identity", "Gender", ("gender", "gender identity"), "men", "women"),
    BiasType(
        "Nationality", "Nationality", ("domestic_area", "country", "region"), "favoured nations", "stereotyped nations"
    ),
    BiasType(
        "Physical_appearance",
        "Appearance",
        ("appearance", "physical appearance"),
        "people of usual looks",
        "people of unusual looks",
    ),
    BiasType("Race_ethnicity", "Race", ("race", "race ethnicity", "ethnicity"), "White people", "people of colour"),
    BiasType("Race_x_SES", "Race × income", ("race x ses",), "White or wealthy people", "poor people of colour"),
    BiasType("Race_x_gender", "Race × gender", ("race x gender",), "White people, or men", "women and men of colour"),
    BiasType("Religion", "Religion", ("religions",), "the majority faith", "minority faiths"),
    BiasType("SES", "Income", ("socioeconomic", "socio-economic status", "income"), "wealthy people", "poor people"),
    BiasType("Sexual_orientation", "Sexual orientation", ("sexual orientation",), "heterosexual people", "LGBT people"),
)
"""The eleven categories of BBQ (Parrish et al. 2022). A sign names the usual direction of a
category; a template may be about the other group, so + always means "along the stereotype"."""

_BY_NAME = {name: each for each in BIAS_TYPES for name in (each.slug.casefold(), *each.aliases)}


def bias_type(category: str) -> BiasType | None:
    """The type that a category's name means, None for one of its own.

    Examples:
        >>> bias_type("Gender").slug, bias_type("gender identity").label
        ('Gender_identity', 'Gender')
        >>> bias_type("Hair colour") is None
        True
    """
    return _BY_NAME.get(category.strip().casefold())
