"""Network file systems, where file locks and fsync cannot be relied on."""

from pathlib import Path, PurePosixPath

_NETWORK_FILE_SYSTEMS = """
nfs nfs4 cifs smb3 smbfs ncpfs 9p afs ceph gfs2 ocfs2 lustre gpfs beegfs orangefs pvfs2 davfs
fuse.sshfs fuse.glusterfs fuse.s3fs fuse.rclone fuse.gcsfuse fuse.davfs2 fuse.cephfs fuse.juicefs
"""
_NETWORK = frozenset(_NETWORK_FILE_SYSTEMS.split())
_MOUNTS = Path("/proc/self/mountinfo")


def network_filesystem(directory: Path) -> str | None:
    """The type of the network file system that holds the directory; None if it is local or cannot be told."""
    try:
        table = _MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    kind = filesystem_type(table, PurePosixPath(directory.resolve()))
    return kind if kind in _NETWORK else None


def filesystem_type(table: str, directory: PurePosixPath) -> str | None:
    """The type of the innermost mount above the directory, from the text of /proc/self/mountinfo."""
    best: tuple[int, str] | None = None
    for line in table.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")[0]
        if len(fields) < 5 or not kind:
            continue
        point = PurePosixPath(fields[4].replace("\\040", " "))
        if directory.is_relative_to(point) and (best is None or len(point.parts) >= best[0]):
            best = (len(point.parts), kind)
    return best[1] if best else None
