"""Names with prefixes: `p:name` is in the namespace that the prolog gives to p; a bare name is in
none.
"""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.syntax import NamespaceLine

_XML = "http://www.w3.org/XML/1998/namespace"


class Namespaces:
    """Prefixes of one subscription."""

    def __init__(self, lines: Sequence[NamespaceLine], problems: ProblemCollector) -> None:
        self._problems = problems
        self.uris: dict[str, str] = {}
        for line in lines:
            self._declare(line)

    def expanded(self, name: SourceSpan) -> str:
        """Return the expanded name: `{uri}local`, or the name alone without a prefix."""
        prefix, colon, local = name.text.partition(":")
        if not colon:
            return name.text
        uri = self.uri(name, prefix)
        return f"{{{uri}}}{local}"

    def uri(self, name: SourceSpan, prefix: str) -> str:
        """Return the namespace of a prefix; "" and a problem at the name if it has none."""
        if prefix == "xml":
            return _XML
        if prefix not in self.uris:
            self._problems.add(
                SYNTAX_CODE,
                name,
                f"the prefix {prefix} is not declared",
                f'begin with NAMESPACE {prefix} = "..." before WHERE',
            )
        return self.uris.get(prefix, "")

    def refuse_declaration(self, name: SourceSpan) -> None:
        """Add a problem if the attribute is `xmlns` or `xmlns:p`."""
        if name.text == "xmlns" or name.text.startswith("xmlns:"):
            self._problems.add(
                SYNTAX_CODE,
                name,
                "namespaces are not declared on elements",
                'begin with NAMESPACE p = "..." before WHERE',
            )

    def _declare(self, line: NamespaceLine) -> None:
        prefix = line.prefix.text
        if prefix in self.uris or prefix in ("xml", "xmlns"):
            self._problems.add(
                SYNTAX_CODE,
                line.prefix,
                f"the prefix {prefix} is already taken",
                "choose another prefix",
            )
        elif not line.uri:
            self._problems.add(
                SYNTAX_CODE,
                line.prefix,
                "a namespace is not empty",
                "a name without a prefix is in no namespace",
            )
        else:
            self.uris[prefix] = line.uri
