"""Tokens and keys that tell by their form what they are, as their makers document it.

What detect-secrets knows stands in ``library``; here are those that it lacks, or of which it sees a part only.
"""

from __future__ import annotations

import re

from git_asr.redaction.base import SECRET, Rule

_ID = "_-"
"""What may follow in most tokens beside letters and digits."""


def _has_digit(value: str) -> bool:
    return any(one.isdigit() for one in value)


def _token(name: str, pattern: str, *literals: str) -> Rule:
    """A rule for what begins with one of its literals, which nothing of a word precedes."""
    return Rule(name, SECRET, re.compile(rf"(?<![A-Za-z0-9]){pattern}"), literals, rest=_ID)


def _word(name: str, pattern: str, *literals: str) -> Rule:
    """A rule for what might be a word in kebab or snake case too: it has a digit."""
    compiled = re.compile(rf"(?<![A-Za-z0-9]){pattern}")
    return Rule(name, SECRET, compiled, literals, rest=_ID, accepts=_has_digit)


_PEM = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]|-(?!----))*+(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?"
)
_SSH2 = re.compile(
    r"---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----"
    r"(?:[^-]|-(?!---))*+(?:---- END SSH2 (?:ENCRYPTED )?PRIVATE KEY ----)?"
)
_PUTTY = re.compile(r"PuTTY-User-Key-File-[23]:(?:(?!Private-MAC:)[\s\S])*+(?:Private-MAC:\s*[0-9a-f]+)?")
_JWT = re.compile(
    r"(?<![A-Za-z0-9])(?<![A-Za-z0-9][_-])eyJ[A-Za-z0-9_=-]{6,}\.[A-Za-z0-9_=-]{2,}(?:\.[A-Za-z0-9_=-]*){0,3}"
)

RULES = (
    Rule("private-key", SECRET, _PEM, ("-----BEGIN ",), after=5000),
    Rule("private-key", SECRET, _SSH2, ("---- BEGIN SSH2 ",), after=5000),
    Rule("private-key", SECRET, _PUTTY, ("PuTTY-User-Key-File-",), after=5000),
    _token("age-key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}", "AGE-SECRET-KEY-1"),
    Rule("jwt", SECRET, _JWT, ("eyJ",), after=4000),
    _word("sk-key", r"sk-[A-Za-z0-9_-]{20,}", "sk-"),
    _token("github-token", r"gh[pousr]_[A-Za-z0-9_]{30,}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _token("github-token", r"github_pat_[A-Za-z0-9_]{30,}", "github_pat_"),
    _token("gitlab-token", r"gl(?:pat|dt|ft|soat|rt|cbt|ptt|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{20,}", "gl"),
    _token(
        "aws-key", r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[0-9A-Z]{16}", "AKIA", "ASIA", "ABIA", "ACCA", "A3T"
    ),
    _token("aws-key", r"ABSK[A-Za-z0-9+/]{100,}={0,2}", "ABSK"),
    _token("google-key", r"AIza[0-9A-Za-z_-]{35}", "AIza"),
    _token("google-key", r"GOCSPX-[A-Za-z0-9_-]{20,}", "GOCSPX-"),
    _token("google-key", r"ya29\.[A-Za-z0-9_.-]{20,}", "ya29."),
    _token("google-key", r"1//0[A-Za-z0-9_-]{30,}", "1//0"),
    _token("slack-token", r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}", "xox"),
    _token("slack-token", r"xapp-[0-9]-[A-Za-z0-9-]{10,}", "xapp-"),
    _token(
        "slack-webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{20,})",
        "hooks.slack",
    ),
    _token(
        "discord-webhook", r"discord(?:app)?\.com/api/webhooks/([0-9]{10,}/[A-Za-z0-9_-]{40,})", "discord"
    ),
    _token("teams-webhook", r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{30,})", "webhook.office.com"),
    _token(
        "stripe-key", r"[sr]k_(?:live|test)_[0-9A-Za-z]{16,}", "sk_live_", "rk_live_", "sk_test_", "rk_test_"
    ),
    _token("stripe-key", r"whsec_[A-Za-z0-9+/]{24,}={0,2}", "whsec_"),
    _token("npm-token", r"npm_[A-Za-z0-9]{36,}", "npm_"),
    _token("pypi-token", r"pypi-AgE[A-Za-z0-9_-]{40,}", "pypi-AgE"),
    _token("rubygems-token", r"rubygems_[0-9a-f]{48}", "rubygems_"),
    _token("docker-token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}", "dckr_"),
    _token("huggingface-token", r"(?:hf|api_org)_[A-Za-z]{30,}", "hf_", "api_org_"),
    _token("huggingface-token", r"hf_[A-Za-z0-9]{30,}", "hf_"),
    _token("databricks-token", r"dapi[0-9a-f]{32}(?:-[0-9])?", "dapi"),
    _token("digitalocean-token", r"do[opr]_v1_[0-9a-f]{64}", "doo_v1_", "dop_v1_", "dor_v1_"),
    _token("vault-token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}", "hvs.", "hvb.", "hvr."),
    Rule(
        "terraform-token",
        SECRET,
        re.compile(r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
        (".atlasv1.",),
        before=14,
    ),
    _token("pulumi-token", r"pul-[0-9a-f]{40}", "pul-"),
    _token("doppler-token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}", "dp."),
    _token("linear-token", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}", "lin_"),
    _token("notion-token", r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})", "ntn_", "secret_"),
    _token("shopify-token", r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}", "shp"),
    _token("atlassian-token", r"AT(?:ATT|CTT)3[A-Za-z0-9_=-]{50,}", "ATATT3", "ATCTT3"),
    _token("bitbucket-token", r"ATBB[A-Za-z0-9]{28,}", "ATBB"),
    _token("groq-key", r"gsk_[A-Za-z0-9]{40,}", "gsk_"),
    _token("xai-key", r"xai-[A-Za-z0-9_-]{40,}", "xai-"),
    _token("replicate-token", r"r8_[A-Za-z0-9]{30,}", "r8_"),
    _token("perplexity-key", r"pplx-[A-Za-z0-9]{40,}", "pplx-"),
    _token("nvidia-key", r"nvapi-[A-Za-z0-9_-]{40,}", "nvapi-"),
    _token("langsmith-key", r"lsv2_(?:pt|sk)_[0-9a-f_]{30,}", "lsv2_"),
    _word("tavily-key", r"tvly-[A-Za-z0-9-]{20,}", "tvly-"),
    _token("supabase-key", r"(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,})", "sbp_", "sb_secret_"),
    _token("fly-token", r"(?:fm[12][ar]?_[A-Za-z0-9+/=]{60,}|fo1_[A-Za-z0-9_-]{40,})", "fm1", "fm2", "fo1_"),
    _token("netlify-token", r"nf[ptc]_[A-Za-z0-9]{36,}", "nfp_", "nft_", "nfc_"),
    _token("newrelic-key", r"NRAK-[A-Z0-9]{27}", "NRAK-"),
    _token("sentry-token", r"sntry[su]_[A-Za-z0-9+/=_.-]{40,}", "sntrys_", "sntryu_"),
    _token(
        "grafana-token",
        r"gl(?:sa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|c_[A-Za-z0-9+/]{32,}={0,2})",
        "glsa_",
        "glc_",
    ),
    _token("postman-key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", "PMAK-"),
    _token("figma-token", r"fig[duor]_[A-Za-z0-9_-]{40,}", "figd_", "figu_", "figo_", "figr_"),
    _token("dropbox-token", r"sl\.(?:u\.)?[A-Za-z0-9_-]{80,}", "sl."),
    _token("planetscale-token", r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32,}", "pscale_"),
    _token("onepassword-token", r"ops_eyJ[A-Za-z0-9+/]{100,}={0,2}", "ops_eyJ"),
    _token("onepassword-token", r"A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}", "A3-"),
    _token("heroku-key", r"HRKU-[A-Za-z0-9_-]{30,}", "HRKU-"),
    _token("openshift-token", r"sha256~[A-Za-z0-9_-]{40,}", "sha256~"),
    _token("artifactory-token", r"(?:AKCp[A-Za-z0-9]{60,}|cmVmd[A-Za-z0-9]{59})", "AKCp", "cmVmd"),
    _token("brevo-key", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}", "xkeysib-"),
    _word("resend-key", r"re_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}", "re_"),
    _token("mailgun-key", r"(?:key|pubkey)-[0-9a-f]{32}", "key-"),
    _token("square-token", r"(?:sq0[a-z]{3}-[0-9A-Za-z_-]{22,}|EAAA[A-Za-z0-9_-]{60})", "sq0", "EAAA"),
    _token("airtable-token", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", "pat"),
    _token("alibaba-key", r"LTAI[A-Za-z0-9]{17,}", "LTAI"),
    _token("adobe-key", r"p8e-[A-Za-z0-9]{32}", "p8e-"),
    _token("wallet-key", r"[xyz]prv[a-km-zA-HJ-NP-Z1-9]{100,}", "xprv", "yprv", "zprv"),
    Rule(
        "azure-secret",
        SECRET,
        re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
        ("Q~",),
        before=4,
    ),
    Rule(
        "azure-sas", SECRET, re.compile(r"(?i)(?<=[?&;])sig=([A-Za-z0-9%+/=]{30,})"), ("sig=",), folded=True
    ),
)
