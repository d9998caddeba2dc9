"""Which ε do I need for an R² within 0.02 of the best? On 494,021 network connections.

Run with:  TACIT_DATA=directory python which_epsilon.py [picture.png]
(reads kddcup99/kddcup99_10_percent.parquet there; without TACIT_DATA scikit-learn fetches the table; the picture needs
matplotlib)

The target is 1 for an attack and 0 for a normal connection; the regression is a linear probability model. Scaled to
[−1, 1] the target has a variance of about 0.64: the documentation of the table says that four connections in five are
attacks, so this number is public. An R² that is 0.02 worse is a mean of ½(y − s)² that is ½ · 0.02 · 0.64 larger.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import fetch_kddcup99
from sklearn.metrics import r2_score

from tacit import AccuracyFirst, PrivateRidge, Schema

R2_LOST, PUBLIC_VARIANCE = 0.02, 0.64
TEXTS = {
    "protocol_type": "icmp tcp udp",
    "flag": "OTH REJ RSTO RSTOS0 RSTR S0 S1 S2 S3 SF SH",
    "service": """IRC X11 Z39_50 auth bgp courier csnet_ns ctf daytime discard domain domain_u echo eco_i ecr_i efs exec
    finger ftp ftp_data gopher hostnames http http_443 imap4 iso_tsap klogin kshell ldap link login mtp name
    netbios_dgm netbios_ns netbios_ssn netstat nnsp nntp ntp_u other pm_dump pop_2 pop_3 printer private red_i
    remote_job rje shell smtp sql_net ssh sunrpc supdup systat telnet tftp_u tim_i time urh_i urp_i uucp
    uucp_path vmnet whois""",
}
# Numbers from 0 to a public bound, mostly 0. Bytes and seconds are on a log scale, which is a public transformation.
LOGARITHMS = ("duration", "src_bytes", "dst_bytes")
NUMBERS = {
    1: "land logged_in root_shell num_outbound_cmds is_host_login is_guest_login serror_rate srv_serror_rate "
    "rerror_rate srv_rerror_rate same_srv_rate diff_srv_rate srv_diff_host_rate dst_host_same_srv_rate "
    "dst_host_diff_srv_rate dst_host_same_src_port_rate dst_host_srv_diff_host_rate dst_host_serror_rate "
    "dst_host_srv_serror_rate dst_host_rerror_rate dst_host_srv_rerror_rate",
    10: "wrong_fragment urgent num_failed_logins su_attempted num_shells num_access_files",
    25: " ".join(LOGARITHMS),
    100: "hot num_file_creations",
    256: "dst_host_count dst_host_srv_count",
    512: "count srv_count",
    1000: "num_compromised num_root",
}
CONNECTIONS = Schema.from_dict(
    {
        "name": "kdd99",
        "unit": "one connection, one row",
        "features": {
            **{name: {"type": "category", "values": values.split()} for name, values in TEXTS.items()},
            **{
                name: {"type": "number", "min": 0, "max": most, "reference": 0}
                for most, names in NUMBERS.items()
                for name in names.split()
            },
        },
        "target": {"name": "attack", "type": "real", "min": 0, "max": 1},
    }
)


def connections() -> pd.DataFrame:
    """The 10 % sample as published, with the target of this example."""
    if folder := os.environ.get("TACIT_DATA"):
        rows = pd.read_parquet(Path(folder, "kddcup99", "kddcup99_10_percent.parquet"))
    else:
        rows = fetch_kddcup99(percent10=True, as_frame=True).frame.rename(columns={"labels": "label"})
        for column in (*TEXTS, "label"):
            rows[column] = rows[column].str.decode("ascii").str.rstrip(".")
    for column in LOGARITHMS:
        rows[column] = np.log1p(rows[column].astype(float))
    return rows.assign(attack=(rows["label"].astype(str) != "normal").astype(float)).drop(columns="label")


def main() -> None:
    try:
        frame = connections()
    except OSError as reason:
        print(f"left out: {reason}")
        return
    search = AccuracyFirst(
        PrivateRidge(domain=CONNECTIONS, l2=1e-4, radius=2.0),
        excess_risk=0.5 * R2_LOST * PUBLIC_VARIANCE,
        failure=0.1,
        max_privacy=5.0,
    ).fit(frame)
    print(f"met: {search.met_}    paid: {search.loss_}    before the search it could have been up to 5")
    print(search.trace_.tail(3).to_string())
    print(search.certificate_)
    if not search.met_:
        return
    print(f"R² of the private model: {r2_score(frame['attack'], search.predict(frame)):.4f}")
    # For comparison only, not private: as good as no noise.
    best = PrivateRidge(domain=CONNECTIONS, l2=1e-4, radius=2.0, privacy=1e6, mechanism="output").fit(frame)
    print(f"R² of the best model of this kind: {r2_score(frame['attack'], best.predict(frame)):.4f}")
    if len(sys.argv) > 1:
        search.plot().figure.savefig(sys.argv[1], dpi=90)


if __name__ == "__main__":
    main()
