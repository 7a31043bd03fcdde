"""The patterns of detect-secrets (decision 0014), each with what must stand in a text for it to match.

detect-secrets looks at every line with every pattern, which is too slow here. Its plugins' patterns are public
(``RegexBasedDetector.denylist``); the literals beside them are ours, and a test makes texts from the patterns and
compares. Not used are its detectors by keyword, by entropy and for addresses (``assignments``, ``entropy`` and
``network`` do that within bounds), and those plugins of which ``tokens`` finds more: they see the heading of a private
key, the beginning of a JWT, the rest of the line behind an npm token, the password alone in a URL.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from git_asr.redaction.base import SECRET, Rule
from git_asr.values import dataclass

_PACKAGE = "detect_secrets.plugins"


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin of the library: its module and class, and the literals (small letters) one of which a match has,
    at most so many characters after its beginning (``before``).

    No literal: the patterns begin with something rare enough to be tried on every text. ``whole``: a match is the
    secret, else its groups are.
    """

    module: str
    name: str
    literals: tuple[str, ...] = ()
    before: int = 0
    whole: bool = True


PLUGINS = (
    Plugin("aws", "AWSKeyDetector", ("a3t", "abia", "acca", "akia", "asia", "aws"), whole=False),
    Plugin("azure_storage_key", "AzureStorageKeyDetector", ("accountkey=",)),
    Plugin(
        "cloudant",
        "CloudantDetector",
        ("cloudant", "clou", "cl_", "cl-", "clapi", "clkey", "clpwd", "clpw", "clpass", "cltoken"),
        before=200,
        whole=False,
    ),
    Plugin("discord", "DiscordBotTokenDetector"),
    Plugin("github_token", "GitHubTokenDetector", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    Plugin("gitlab_token", "GitLabTokenDetector", ("gl", "gr1348941")),
    Plugin("ibm_cos_hmac", "IbmCosHmacDetector", ("secret",), before=20, whole=False),
    Plugin("mailchimp", "MailchimpDetector", ("-us",), before=32),
    Plugin("openai", "OpenAIDetector", ("t3blbkfj",), before=200),
    Plugin("pypi_token", "PypiTokenDetector", ("pypi-age",)),
    Plugin("sendgrid", "SendGridDetector", ("sg.",)),
    Plugin("slack", "SlackDetector", ("xox", "hooks.slack.com/services/"), before=8),
    Plugin(
        "softlayer",
        "SoftlayerDetector",
        ("softlayer", "sl_", "sl-", "slapi", "slkey", "slpwd", "slpass", "sltoken"),
        before=45,
        whole=False,
    ),
    Plugin("square_oauth", "SquareOAuthDetector", ("sq0csp-",)),
    Plugin("stripe", "StripeDetector", ("k_live_",), before=1),
    # the pattern of the next one allows any characters behind the colon, Telegram gives AA
    Plugin("telegram_token", "TelegramBotTokenDetector", (":aa",), before=10),
    Plugin("twilio", "TwilioKeyDetector"),
)


def rules() -> Iterator[Rule]:
    """A rule for each pattern of the plugins."""
    for plugin in PLUGINS:
        detector = getattr(import_module(f"{_PACKAGE}.{plugin.module}"), plugin.name)
        for pattern in detector.denylist:
            yield Rule(
                "detect-secrets/" + plugin.module.replace("_", "-"),
                SECRET,
                pattern,
                plugin.literals,
                folded=True,
                before=plugin.before,
                after=200,
                rest="_-",
                whole=plugin.whole,
            )


def version() -> str:
    """The version of the library."""
    return str(import_module("detect_secrets.__version__").VERSION)
