//! Files as the operating system gives them, and its refusals in Spanish.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Why the system refused something, in Spanish where it is a usual refusal.
pub fn cause(error: &Error) -> String {
    let known = match error.kind() {
        _ if error.get_ref().is_some() => return error.to_string(),
        ErrorKind::NotFound => "no existe",
        ErrorKind::PermissionDenied => "no hay permiso",
        ErrorKind::AlreadyExists => "ya existe",
        ErrorKind::IsADirectory => "es una carpeta, no un archivo",
        ErrorKind::NotADirectory => "una parte de la ruta es un archivo, no una carpeta",
        ErrorKind::DirectoryNotEmpty => "la carpeta no está vacía",
        ErrorKind::ReadOnlyFilesystem => "el disco es de solo lectura",
        ErrorKind::StorageFull => "no queda espacio en el disco",
        ErrorKind::QuotaExceeded => "se agotó la cuota de disco",
        ErrorKind::InvalidFilename => "el nombre no es válido o es demasiado largo",
        ErrorKind::BrokenPipe => "nadie lee lo que se escribe",
        _ => return error.to_string(),
    };
    known.to_owned()
}

/// Nothing when there is a file at `path`, or a link that leads to one; otherwise
/// why what is there cannot be read: a pipe would be waited for without end.
pub fn check_file(path: &Path) -> Result<()> {
    match path.metadata() {
        Ok(there) if there.is_file() => Ok(()),
        Ok(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(_) => Err(Error::other("no es un archivo ordinario")),
        Err(_) if path.is_symlink() => Err(Error::other("es un enlace que no lleva a nada")),
        Err(error) => Err(error),
    }
}

/// The bytes of a file.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    check_file(path)?;
    std::fs::read(path)
}

/// Whether there is anything of that name, even if it cannot be read.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_told_and_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let said = |path: &Path| cause(&read_file(path).unwrap_err());
        assert_eq!(said(folder.path()), "es una carpeta, no un archivo");
        assert_eq!(said(&folder.path().join("nada")), "no existe");
        let file = folder.path().join("uno");
        std::fs::write(&file, "1").unwrap();
        assert_eq!(read_file(&file).unwrap(), b"1");
        #[cfg(unix)]
        {
            let link = folder.path().join("enlace");
            std::os::unix::fs::symlink("enlace", &link).unwrap();
            assert_eq!(said(&link), "es un enlace que no lleva a nada");
            assert!(is_there(&link) && !link.exists());
        }
    }
}
