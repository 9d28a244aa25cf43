"""The Core Business Vocabulary: every spelling of a standard term is the same individual, its bare
word.

`shipping`, `urn:epcglobal:cbv:bizstep:shipping`, `cbv:BizStep-shipping` and
`https://ref.gs1.org/cbv/BizStep-shipping` all give `shipping`. A bare word that is not in the
vocabulary is refused, because the standard requires a URI for other terms; such a URI stays
unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from tocsin.events.views.epcis import NAMESPACES

_WEB = r"(?:https?://(?:ref\.|ns\.|www\.)?gs1\.org/{folder}/|{prefix}:)"


@dataclass(frozen=True, slots=True)
class StandardTerms:
    """One list of standard terms; without words of its own it accepts any bare word."""

    name: str
    words: frozenset[str]
    spelling: re.Pattern[str]
    web: str

    def word(self, text: str) -> str:
        """Return the bare word of a standard term in any spelling; any other text unchanged."""
        found = self.spelling.fullmatch(text)
        return found.group("word") if found else text

    def allows(self, word: str) -> bool:
        """True if the word is a standard term or a URI."""
        return ":" in word or not self.words or word in self.words

    def near(self, word: str) -> str:
        """Return a hint with standard terms that the writer may have meant."""
        found = get_close_matches(word, sorted(self.words), n=3)
        return (
            f"did you mean {' or '.join(found)}?"
            if found
            else "a term of your own is written as a URI"
        )


def _core(name: str, urn: str, web: str, words: str) -> StandardTerms:
    web_form = _WEB.format(folder="cbv", prefix="cbv") + re.escape(web) + "-"
    spelling = re.compile(rf"(?:urn:epcglobal:cbv:{urn}:|{web_form})(?P<word>[\w.-]+)")
    return StandardTerms(name, frozenset(words.split()), spelling, f"{NAMESPACES['cbv']}{web}-")


def _web_only(name: str) -> StandardTerms:
    spelling = re.compile(_WEB.format(folder="voc", prefix="gs1") + r"(?P<word>[\w.-]+)")
    return StandardTerms(name, frozenset(), spelling, NAMESPACES["gs1"])


BIZ_STEP = _core(
    "business step",
    "bizstep",
    "BizStep",
    "accepting arriving assembling collecting commissioning consigning creating_class_instance"
    " cycle_counting decommissioning departing destroying disassembling dispensing encoding"
    " entering_exiting holding inspecting installing killing loading other packing picking"
    " receiving removing repackaging repairing replacing reserving retail_selling sampling"
    " sensor_reporting shipping staging_outbound stock_taking stocking storing transporting"
    " unloading unpacking void_shipping",
)
DISPOSITION = _core(
    "disposition",
    "disp",
    "Disp",
    "active available completeness_inferred completeness_verified conformant container_closed"
    " container_open damaged destroyed dispensed disposed encoded expired in_progress in_transit"
    " inactive mismatch_class mismatch_instance mismatch_quantity needs_replacement"
    " no_pedigree_match non_conformant non_sellable_other partially_dispensed recalled reserved"
    " retail_sold returned sellable_accessible sellable_not_accessible stolen unavailable unknown",
)
TRANSACTION_TYPE = _core(
    "business transaction type",
    "btt",
    "BTT",
    "bol cert desadv inv pedigree po poc prodorder recadv rma testprd testres upevt",
)
PARTY_TYPE = _core(
    "source or destination type", "sdt", "SDT", "location owning_party possessing_party"
)
ERROR_REASON = _core("error reason", "er", "ER", "did_not_occur incorrect_data")
COMPONENT = _core(
    "component",
    "comp",
    "Comp",
    "altitude axial_distance azimuth easting elevation_angle height latitude longitude northing"
    " polar_angle spherical_radius x y z",
)
MEASUREMENT = _web_only("measurement type")
ALERT = _web_only("sensor alert type")

_CORE = (BIZ_STEP, DISPOSITION, TRANSACTION_TYPE, PARTY_TYPE, ERROR_REASON, COMPONENT)


def web_form(text: str) -> str:
    """Return the web address of a standard core term in any full spelling; any other text
    unchanged.
    """
    if "cbv" not in text:
        return text
    for each in _CORE:
        if found := each.spelling.fullmatch(text):
            return each.web + found.group("word")
    return text
