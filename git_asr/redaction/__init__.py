"""Redaction: policies, detectors, and the redactor that makes streams which may be shared."""
