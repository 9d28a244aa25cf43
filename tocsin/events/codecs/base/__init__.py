"""Formats that the other codecs are made of: CloudEvents, JSON values, XML text, lines."""
