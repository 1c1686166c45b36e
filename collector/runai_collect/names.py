"""Which names announce a secret: ``NGC_API_KEY`` does; ``runAsUser``, ``secretName`` and ``TOKENIZERS_PARALLELISM`` not. Pure."""

import re
from functools import lru_cache
from typing import Dict, FrozenSet, List, Pattern

from . import layout

WORDS: Dict[str, str] = {word: family for family, words in (
    ("password", "password passwords passwd passwds passwrd pwd pwds passphrase passphrases passcode pass pw psk otp userpass "
                 "passe requirepass masterauth passwort kennwort wachtwoord contrase contrasena clave senha parola heslo haslo "
                 "salasana losenord пароль 密码 パスワード mnemonic"),
    ("secret", "secret secrets cephx"),
    ("token", "token jwt bearer pat authtok"),
    ("tokens", "tokens"),       # often counted
    ("key", "apikey apikeys accesskey secretkey privatekey authkey signkey"),
    ("auth", "auth auths authorization basicauth htpasswd"),
    ("credential", "credential credentials cred creds dockercfg dockerconfigjson"),
    ("wandb-key", "wandb"),     # of Weights & Biases: 40 hex digits, told from a commit by the name alone
    ("cookie", "cookie cookies sessionid jsessionid phpsessid"),
    # Of these, and of all that only may be a secret by its name, a value is hidden that nobody would write by hand.
    ("opaque", "key keys keyring keytab license licence salt seed unseal pin tok art phrase dsn connection sas cipher hmac "
               "connectionstring connstr private priv sk webhook hook bot session community recovery accesskeyid kubeconfig "
               "assertion"),
) for word in words.split()}

# A word that ends so is of the family, long ones also with more behind: PGPASSWORD, authtoken, clientsecret, APITOKENPROD.
# Some only end short words: they end many a word of base64.
_ENDING: Pattern[str] = re.compile("(?:(?P<password>password|passwd|passphrase|^(?=.{,12}$).*(?:pw|passe?))|(?P<token>token)|"
                                   "(?P<secret>secret|secretid)|(?P<key>.{3}key)|(?P<credential>credentials))$")
_INSIDE: Pattern[str] = re.compile("apikey|apitoken|password|passwd|secretkey|accesskey|privatekey")

# A secret's name may go on behind these (or more than one of them), and is then no longer the secret itself: passwordFile.
_ABOUT: FrozenSet[str] = frozenset(
    "age alg algorithm annotation at audience automount bit bucket change changed class clean cleanup config configuration "
    "consumed controller copied copy cost count created date day destination dir directory disable disabled domain enable "
    "enabled endpoint env exist expiration expire expired expiry field file filename folder for format found generated generator "
    "group header host hostname hour id index interval issuer key kind label len length limit location lookup manager max "
    "message method min minute missing mode mount mounted name namespace only operator option optional owner parallelism param "
    "parameter path per period plugin policy pool port prefix present projected projection provider rate realm reason ref "
    "reference renew renewal request required reset resource review role rotate rotation round schema scheme scope second "
    "selector server service sha256sum size source state status stdin store strategy suffix support supported sync syncer target "
    "template throughput time timeout timestamp ttl type up updated uri url usage used user username var version volume".split())

# What ends in *key* and is none: the key of a map, a label or a table, or the public half of a pair.
_PLAIN_KEYS: FrozenSet[str] = frozenset(
    "a annotation annotations any arrow attribute bucket by cache checkpoint child column config data dedup down each enter "
    "entry env environment escape event every feature field file flag foreign group grouping hash host hot i18n icon id index "
    "item known label labels locale lookup map match message metric name new no node object of old order parent partition "
    "password path pods press primary priority property public queue range registry resource row same secretname selector "
    "shard sort sorting state tag taint tenant that the this token toleration topology translation unique up usage user "
    "username variable volume which".split())
# ... but of these pairs it is one again, whatever stands around it: API_KEY_PROD, ssh-key-2.
_KEY_PAIRS: FrozenSet[str] = frozenset(
    "access account admin aes api auth cipher client crypto decryption deploy encrypt encryption hmac ingest integration jwt "
    "licence license master private root rsa secret security server service session shared sign signature signing ssh ssl "
    "storage tls webhook".split())
# Written in one word: restuserkey and mailpass are secrets, and these are none.
_PLAIN_COMPOUNDS = tuple(
    "bypass compass encompass trespass surpass overpass underpass anykey cachekey columnkey donkey foreignkey groupkey hashkey "
    "hockey hostkey hotkey idkey indexkey itemkey jockey labelkey lookupkey mapkey metakey monkey nodekey objectkey partitionkey "
    "primarykey pubkey publickey rowkey sortkey topologykey turkey turnkey whiskey".split())
# Of these plain ones a *secret* is the name of an object: imagePullSecret, tlsSecret, existingSecret.
_SECRET_OBJECTS: FrozenSet[str] = frozenset("pull existing tls cert certificate ca certs image credentials creds".split())
# A word of letters without one of these in it (in lower case) announces nothing in a text.
STEMS: Pattern[str] = re.compile("|".join([word for word in WORDS if WORDS[word] != "opaque" and word != "pat"]) +
                                 "|key|session|licen[cs]e|salt|unseal|connstr|opaque|phrase|assertion|"
                                 "dsn(?![a-z])|pat(?![a-z])|" +
                                 "|".join("%s(?<![a-z]%s)(?![a-z])" % (word, word) for word in ("pin", "tok", "art")))
_SPLIT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")
ANY_WORD = re.compile("|".join(sorted(WORDS)))


def secret_family(name: str) -> str:
    """Return the family of secret that a name announces (one of those above), "" when none."""
    return _family_of(name if len(name) <= 200 else name[-200:])


@lru_cache(maxsize=20000)
def _family_of(name: str) -> str:
    words = [part.lower() for part in _SPLIT.findall(name) if not part.isdigit()] if ANY_WORD.search(name.lower()) else []
    at = _last_secret(words)
    if at < 0 or "checksum" in words or "fingerprint" in words:
        return ""
    family, behind = _word_family(words, at), words[at + 1:]
    if "public" in words and family in ("key", "opaque"):
        return ""
    # A secret_id is not the id of a secret but Vault's second half of a login.
    about = any(word in _ABOUT or word.rstrip("s") in _ABOUT for word in behind[:1] + behind[-1:])
    of_object = family == "secret" and at and words[at - 1] in _SECRET_OBJECTS
    if of_object or (about and [family] + behind != ["secret", "id"]):
        return "opaque"
    return "secret-or-name" if words in (["secret"], ["secrets"]) else family


def _last_secret(words: List[str]) -> int:
    """Return where the last word stands that announces a secret for sure, else the last that may announce one; -1 when none."""
    families = [_word_family(words, at) for at in range(len(words))]
    sure = [at for at, family in enumerate(families) if family not in ("", "opaque")]
    return (sure or [at for at, family in enumerate(families) if family] or [-1])[-1]


def _word_family(words: List[str], at: int) -> str:
    word = words[at]
    if word in ("key", "keys", "phrase"):
        return _key_family(words, at)
    if word in WORDS or word.endswith(_PLAIN_COMPOUNDS):
        return WORDS.get(word, "")
    ending = _ENDING.search(word)
    return ending.lastgroup or "" if ending else "opaque" if _INSIDE.search(word) else ""


def _key_family(words: List[str], at: int) -> str:
    before = words[at - 1] if at else ""
    if before in _KEY_PAIRS:
        return "key"
    ends = at == len(words) - 1 or words[at + 1:] in (["data"], ["value"], ["base64"], ["b64"], ["pem"])
    return "key" if ends and before and words[at] == "key" and before not in _PLAIN_KEYS else "opaque"


_NOTHING: FrozenSet[str] = frozenset(
    "| |- |+ > >- >+ true false yes no null none nil enabled disabled on off ~ {} [] 0 1 *** redacted <redacted> [redacted] "
    "<none> <nil> <unset> unset required optional for is was the".split())
_VERDICTS = frozenset("expired invalid missing failed denied rejected unauthorized forbidden unknown valid error".split())
_AUTH_KINDS: FrozenSet[str] = frozenset(
    "basic token oauth oauth2 oidc mtls tls password bearer x509 always never trust md5 scram-sha-256 iam saml ldap kerberos "
    "rbac node webhook aws gcp azure github google internal external default anonymous any proxy keycloak ok failed "
    "success".split())
_REFERENCE = re.compile(r"\$\([A-Za-z_][\w.]*\)|\$\{[A-Za-z_][\w.]*\}|\$[A-Z_][A-Z0-9_]*|\{\{[^{}\"']*\}\}|%\([a-z_]+\)s|"
    r"/(?:[a-z][a-z0-9_.-]{1,40}/)+(?:[a-z0-9_.@-]*|[\w.@-]{0,24})|"
    r"\.{1,2}/[\w./@-]+|\*+(?:[A-Z]+\*+)?|\[[A-Z]{2,9}\]|x{3,}|<[/|]?[a-z][a-z0-9 _-]*\|?>", re.ASCII)
# As a password these are rather one: $SUMMER2024, /summer/winter2024.
_DOUBTFUL = re.compile(r"\$[A-Z]+\d\d|/(?!(?:"
                       r"etc|run|var|opt|home|mnt|vault|secrets?|tmp|root|usr|data|app|srv|dev|conf|config|certs?|keys?)/)")
_OBJECT = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?/[a-z0-9](?:[-a-z0-9.]{0,250}[a-z0-9])?", re.ASCII)
_OBJECT_NAME = re.compile(r"(?:[a-z]+(?:-[a-z0-9]{1,12})*/)?[a-z]+(?:\d[a-z]?)?(?:-[a-z]+(?:\d[a-z]?)?)*", re.ASCII)
_COUNT = re.compile(r"\d{1,4}[kMG]?")
# What only a machine writes: letters of both cases and digits without a space, or hex as long as a hash's.
_MACHINE_MADE = re.compile(r"(?=\D*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9+_~-][A-Za-z0-9+/_~-]{11,}={0,2}|[0-9a-f]{32,}")


def names_object(family: str, value: str) -> bool:
    """Return whether an annotation names a Secret, as ``nginx.ingress.kubernetes.io/auth-secret`` does."""
    return family in ("secret", "secret-or-name") and (_OBJECT.fullmatch(value) or _OBJECT_NAME.fullmatch(value)) is not None


def machine_made(value: str) -> bool:
    """Return whether a value looks like a key or a token whatever it is called."""
    return _MACHINE_MADE.fullmatch(value.strip("\"'\\[](){}<>,;:. ")) is not None


def harmless_value(family: str, value: str) -> bool:
    """Return whether a value under a secret's name is plainly none: empty, a switch, a reference, a small number."""
    value = value.strip()
    if (len(value) < 3 and not value.isalnum()) or (len(value) <= 10 and value.lower() in _NOTHING):
        return True
    if value.startswith(layout.MARKER_START) or (family != "password" and value in _VERDICTS):
        return True
    if _REFERENCE.fullmatch(value):
        return not (machine_made(value.rpartition("/")[2]) or (family == "password" and _DOUBTFUL.match(value)))
    if family == "wandb-key":
        return re.fullmatch("[0-9a-f]{40}", value) is None
    if family == "opaque":
        return not machine_made(value)
    # In Prometheus' and ServiceAccounts' lists stand names of Secrets.
    if family == "secret-names" or (family == "secret-or-name" and re.search("[-/]", value)):
        return _OBJECT_NAME.fullmatch(value) is not None
    if family in ("secret", "secret-or-name"):
        return _COUNT.fullmatch(value) is not None      # how many there are
    if family == "auth" and value.lower() in _AUTH_KINDS:
        return True
    return value.isdigit() and (family == "tokens" or (family in ("key", "token", "auth", "cookie") and len(value) <= 7))
