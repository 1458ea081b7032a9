"""Groups in words: codes of BBQ are no words for people."""

import pytest

from fairviz.studies.social_bias.labels import group_words


@pytest.mark.parametrize(
    ("category", "group", "words"),
    [
        ("Age", "old", "older people"),
        ("Age", "nonOld", "younger people"),
        ("Gender_identity", "F", "women"),
        ("Gender_identity", "Transgender women + transgender men + trans", "transgender women or transgender men"),
        ("SES", "lowSES", "people with little money"),
        ("Religion", "Muslim + Mormon + Orthodox + Catholic", "Muslim, Mormon, Orthodox or Catholic people"),
        ("Sexual_orientation", "lesbian + gay", "lesbian women or gay people"),
        ("Disability_status", "disabled + autistic people", "autistic people"),
        ("Disability_status", "disabled", "people with a disability"),
        ("Race_ethnicity", "African American", "African American people"),
        ("Nationality", "Sri Lankan", "Sri Lankan people"),
        ("Physical_appearance", "negDress", "people in shabby or unusual clothes"),
        ("Hair colour", "red_2", "“red_2”"),
        ("Religion", "nonChristian", "people who are not Christian"),
    ],
)
def test_codes_are_put_in_words(category: str, group: str, words: str) -> None:
    assert group_words(category, group) == words


def test_many_groups_are_counted() -> None:
    many = " + ".join(("Eritrean", "Ethiopian", "Kenyan", "Guinean", "Nigerian"))
    assert group_words("Nationality", many) == "Eritrean people, Ethiopian people, Kenyan people or 2 more groups"
