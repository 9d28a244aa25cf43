"""Code of a text that is not in the language, found by the grammar or by a later check."""

SYNTAX_CODE = "ExmlqlSyntaxError"
