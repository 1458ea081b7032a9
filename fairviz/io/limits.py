"""How large an input may be, and from which size on a person is told: every limit of the readers stands here."""

MAX_TEXT = 2 * 1024**3
"""Bytes of text in one file, after decompression."""

MAX_RATIO = 200
"""How many times larger than its gzip stream the text may be."""

RATIO_FREE = 16 * 1024**2
"""Text of a gzip file that may expand at any ratio: short repetitive files compress well."""

MAX_LINE = 1024**2
"""Bytes in one line of a table."""

MAX_JSON_LINE = 16 * 1024**2
"""Bytes in one line of JSON Lines: a record may hold a long answer."""

MAX_JSON_DEPTH = 64
"""Arrays and objects inside each other."""

MAX_UPLOAD = 512 * 1024**2
"""Bytes of one uploaded file."""

MAX_GRADE = 1000
"""Largest grade, in either direction: beyond it a file is no table of judgements."""

MAX_WHOLE = 10**9
"""Largest whole number that counts something, such as the items given to a generator."""

LONG_ID = 1000
"""Characters of an identifier from which a person is told."""

LONG_ANSWER = 20_000
"""Words of an answer from which a person is told: string metrics cost words squared."""
MANY_GROUPS = 100
"""Groups from which an attribute is probably continuous."""

MAX_VALUES = 1000
"""Values of an attribute, or options of closed answers: beyond it a column is none."""

MAX_MEMBERS = 10_000
"""Files in an archive."""

MAX_LIST = 4 * 1024**2
"""Bytes of the list of files in an archive, which is read before they are counted."""

MAX_MANIFEST = 16 * 1024**2
"""Bytes of the text that says what an archive holds."""
