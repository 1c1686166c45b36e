"""Makes secret values in the shapes that leak in practice, from a seeded generator: random in each run, and repeatable."""

import base64
import gzip
import json
import random
import re
import string
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import NameOID

ALNUM = string.ascii_letters + string.digits
BASE64 = ALNUM + "+/"
_PLAIN = re.compile("[A-Za-z0-9]{12}")


@dataclass(frozen=True)
class Value:
    """One secret: `text` is what is planted, `secrets` the parts of it that must never be seen outside the cluster."""

    text: str
    secrets: tuple[str, ...]


class Values:
    """Each method makes another value of its shape; the same seed gives the same row."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def chars(self, count: int, alphabet: str = ALNUM) -> str:
        """Random characters; a long text has a piece that no coding breaks up, by which it can be found (plant_search.PIECE)."""
        while True:
            text = "".join(self._random.choices(alphabet, k=count))
            if count < 24 or _PLAIN.search(text):
                return text

    def password(self) -> Value:
        return _whole(self.chars(24))

    def awkward(self) -> Value:
        """A password with what JSON, YAML, HTML, URLs and shells escape; each half counts alone."""
        left, right = self.chars(14), self.chars(14)
        return Value(f"{left}\"$'&<\\ #{right}", (left, right))

    def spaced(self) -> Value:
        words = [self.chars(13) for _ in range(3)]
        return Value(" ".join(words), tuple(words))

    def nvapi(self) -> Value:
        return _whole("nvapi-" + self.chars(64, ALNUM + "-_").replace("--", "aa"))

    def hugging_face(self) -> Value:
        return _whole("hf_" + self.chars(34, string.ascii_letters))

    def github(self) -> Value:
        return _whole("ghp_" + self.chars(36))

    def gitlab(self) -> Value:
        return _whole("glpat-" + self.chars(20))

    def slack(self) -> Value:
        return _whole(f"xoxb-{self.chars(12, string.digits)}-{self.chars(13, string.digits)}-{self.chars(24)}")

    def google_key(self) -> Value:
        return _whole("AIza" + self.chars(35))

    def aws_id(self) -> Value:
        return _whole("AKIA" + self.chars(16, string.ascii_uppercase + "234567"))

    def aws_secret(self) -> Value:
        return _whole(self.chars(40, BASE64))

    def license_key(self) -> Value:
        text = "-".join(self.chars(12, string.ascii_uppercase + string.digits) for _ in range(4))
        return Value(text, tuple(text.split("-")))

    def jwt(self) -> Value:
        """Only payload and signature are secret: every HS256 token begins alike."""
        subject, signature = self.chars(30), self.chars(43, ALNUM + "-_")
        header, payload = _url64(b'{"alg":"HS256","typ":"JWT"}'), _url64(json.dumps({"sub": subject}).encode())
        return Value(f"{header}.{payload}.{signature}", (payload[12:], signature))

    def account_key(self) -> Value:
        """An Azure storage key: 64 bytes in base64."""
        return _whole(base64.b64encode(bytes(self._random.randrange(256) for _ in range(64))).decode())

    def pem(self, label: str = "PRIVATE KEY", lines: int = 6) -> Value:
        """A private key by its looks; each line of the body is a secret of its own."""
        body = [self.chars(64, BASE64) for _ in range(lines)]
        return Value("\n".join([f"-----BEGIN {label}-----", *body, f"-----END {label}-----", ""]), tuple(body))

    def slack_hook(self) -> Value:
        secret = self.chars(24)
        return Value(f"https://hooks.slack.com/services/T{self.chars(8).upper()}/B{self.chars(8).upper()}/{secret}", (secret,))

    def teams_hook(self) -> Value:
        secret = self.chars(32, "0123456789abcdef")
        return Value(
            f"https://example.webhook.office.com/webhookb2/{self.uuid()}@{self.uuid()}/IncomingWebhook/{secret}/{self.uuid()}",
            (secret,),
        )

    def presigned(self) -> Value:
        signature, token = self.chars(64, "0123456789abcdef"), self.chars(60)
        url = (
            "https://models.s3.eu-west-1.amazonaws.com/llm/weights.bin?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600"
            f"&X-Amz-Security-Token={token}&X-Amz-Signature={signature}"
        )
        return Value(url, (signature, token))

    def sas(self) -> Value:
        signature = self.chars(43)
        return Value(
            f"https://example.blob.core.windows.net/data/set.tar?sv=2024-11-04&se=2027-01-01&sp=r&sig={signature}%3D",
            (signature,),
        )

    def docker_config(self) -> Value:
        """The JSON of a .dockerconfigjson: the password stands there, and once more inside the base64 of `auth`."""
        secret = self.chars(28)
        auth = base64.b64encode(f"$oauthtoken:{secret}".encode()).decode()
        entry = {"username": "$oauthtoken", "password": secret, "auth": auth}
        return Value(json.dumps({"auths": {"registry.example.com": entry}}), (secret, auth[20:]))

    def docker_auth(self) -> Value:
        """The same with nothing but `auth`, as docker login writes it."""
        secret = self.chars(28)
        auth = base64.b64encode(f"robot:{secret}".encode()).decode()
        return Value(json.dumps({"auths": {"registry.example.com": {"auth": auth}}}), (secret, auth[10:]))

    def basic(self) -> Value:
        """What follows `Authorization: Basic`."""
        secret = self.chars(26)
        return Value(base64.b64encode(f"admin:{secret}".encode()).decode(), (secret,))

    def base64(self) -> Value:
        secret = self.chars(27)
        return Value(base64.b64encode(secret.encode()).decode(), (secret,))

    def kubeconfig(self) -> Value:
        token, key = self.jwt(), self.chars(200, BASE64)
        user = f"users:\n- name: admin\n  user:\n    token: {token.text}\n    client-key-data: {key}\n"
        return Value(f"apiVersion: v1\nkind: Config\ncurrent-context: prod\n{user}", (*token.secrets, key))

    def service_account(self) -> Value:
        """The key file of a Google service account."""
        key, key_id = self.pem(lines=8), self.chars(40, "0123456789abcdef")
        body = {"type": "service_account", "project_id": "demo", "private_key_id": key_id, "private_key": key.text}
        return Value(json.dumps({**body, "client_email": "robot@demo.iam.gserviceaccount.com"}), (*key.secrets, key_id))

    def htpasswd(self) -> Value:
        """An apr1 hash: it can be tried offline, so it is a secret too."""
        secret = self.chars(22)
        return Value(f"admin:$apr1${self.chars(8)}${secret}\n", (secret,))

    def helm_release(self) -> Value:
        """A Helm payload (base64 of gzip of JSON); the header of gzip is alike in all of them, the middle is not."""
        release = json.dumps({"config": {"adminPassword": self.chars(32), "salt": self.chars(900)}})
        text = base64.b64encode(gzip.compress(release.encode(), mtime=0)).decode()
        return Value(text, (text[200:600],))

    def tls_key(self) -> Value:
        """A real P-256 key in PKCS 8, so that a certificate can go with it; secret is the base64 of its private number."""
        key = ec.derive_private_key(1 + self._random.getrandbits(250), ec.SECP256R1())
        text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        first, second = text.splitlines()[1:3]
        return Value(text, (first[49:], second[:26]))

    def certificate(self, key_text: str, host: str) -> str:
        """A self-signed certificate for `host` with the key."""
        key = load_pem_private_key(key_text.encode(), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        start = datetime(2026, 1, 1, tzinfo=UTC)
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        builder = (
            builder.serial_number(self._random.getrandbits(64))
            .not_valid_before(start)
            .not_valid_after(start + timedelta(days=730))
        )
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()

    def prefixed(self, prefix: str, count: int) -> Value:
        return _whole(prefix + self.chars(count))

    def uuid_secret(self) -> Value:
        """Only its last group is long enough to be searched for."""
        text = self.uuid()
        return Value(text, (text[-12:],))

    def uuid(self) -> str:
        return "-".join(self.chars(count, "0123456789abcdef") for count in (8, 4, 4, 4, 12))


def _whole(text: str) -> Value:
    return Value(text, (text,))


def _url64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
