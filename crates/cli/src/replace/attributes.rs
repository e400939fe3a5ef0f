//! What a new file takes over from the old one: owner, group, permissions, access control list and
//! extended attributes.
//!
//! Access never becomes wider. If something can't be kept, the new file is accessible to fewer
//! users, or it is not put in its place.

use std::fs::File;
use std::io;

/// Gives `new` what `old` has. Returns what could not be kept, as sentences.
#[cfg(not(unix))]
pub(super) fn keep(old: &File, new: &File) -> io::Result<Vec<String>> {
    new.set_permissions(old.metadata()?.permissions())?;
    Ok(Vec::new())
}

#[cfg(unix)]
pub(super) use unix::keep;

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::fs::Permissions;
    use std::io::ErrorKind;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    use xattr::FileExt;

    use super::{File, io};

    /// The attribute in which Linux shows the access control list.
    const ACL: &str = "system.posix_acl_access";

    /// The set-user-ID and the set-group-ID bit.
    const SET_ID: u32 = 0o6000;

    /// Gives `new` what `old` has. Returns what could not be kept, as sentences.
    ///
    /// The order matters: a change of the owner clears the set-ID bits and the capabilities.
    pub(in crate::replace) fn keep(old: &File, new: &File) -> io::Result<Vec<String>> {
        let mut lost = Vec::new();
        let metadata = old.metadata()?;
        let owned = new.metadata()?;
        // A default access control list of the folder has given entries to the new file.
        remove(new, ACL)?;
        let owner = metadata.uid() == owned.uid() || fchown(new, Some(metadata.uid()), None).is_ok();
        let group = metadata.gid() == owned.gid() || fchown(new, None, Some(metadata.gid())).is_ok();
        let mut mode = metadata.mode() & 0o7777;
        if !owner || !group {
            let cleared = if mode & SET_ID == 0 { "" } else { ", and its set-ID bits are cleared" };
            mode &= !SET_ID;
            let what = match (owner, group) {
                (false, true) => "owner",
                (true, false) => "group",
                _ => "owner and group",
            };
            lost.push(format!("its {what} could not be kept{cleared}"));
        }
        copy_extended(old, new, &mut lost)?;
        match old.get_xattr(ACL).or_else(none_if_unsupported)? {
            Some(acl) if group => new.set_xattr(ACL, &acl)?,
            Some(acl) => new.set_xattr(ACL, &without_group(&acl))?,
            // The users of the new group had the permissions of all others.
            None if !group => mode &= !0o070 | (mode & 0o007) << 3,
            None => {}
        }
        // With an access control list, the bits of the group are its mask. So they come after it.
        new.set_permissions(Permissions::from_mode(mode))?;
        Ok(lost)
    }

    /// Copies the extended attributes other than the access control list.
    fn copy_extended(old: &File, new: &File, lost: &mut Vec<String>) -> io::Result<()> {
        let names = match old.list_xattr() {
            Ok(names) => names,
            Err(error) => return none_if_unsupported::<()>(error).map(drop),
        };
        for name in names.filter(|name| name != OsStr::new(ACL)) {
            let Some(value) = old.get_xattr(&name)? else { continue };
            // The system itself sets some of them, such as labels of SELinux.
            if new.get_xattr(&name).ok().flatten().as_ref() == Some(&value) {
                continue;
            }
            if let Err(error) = new.set_xattr(&name, &value) {
                let is_users = name.as_encoded_bytes().starts_with(b"user.");
                if is_users || !matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::Unsupported) {
                    return Err(error);
                }
                lost.push(format!("its attribute {} could not be kept", name.display()));
            }
        }
        Ok(())
    }

    /// Removes the attribute `name`, if there is one.
    fn remove(file: &File, name: &str) -> io::Result<()> {
        match file.get_xattr(name).or_else(none_if_unsupported)? {
            Some(_) => file.remove_xattr(name),
            None => Ok(()),
        }
    }

    /// Returns no value if the file system has no such attributes.
    fn none_if_unsupported<T>(error: io::Error) -> io::Result<Option<T>> {
        if error.kind() == ErrorKind::Unsupported { Ok(None) } else { Err(error) }
    }

    /// Returns the access control list for a file whose group has changed. The users of the new
    /// group get no more than all others have.
    ///
    /// An access control list is a version of 4 bytes, and then entries of 8 bytes: a tag and
    /// permissions of 2 bytes each, little-endian, and a user or group.
    fn without_group(acl: &[u8]) -> Vec<u8> {
        const OWNING_GROUP: [u8; 2] = [0x04, 0];
        const OTHERS: [u8; 2] = [0x20, 0];
        let mut acl = acl.to_vec();
        let Some(entries) = acl.get_mut(4..) else { return acl };
        let others = entries.chunks_exact(8).find(|entry| entry.starts_with(&OTHERS));
        let others = others.map_or(0, |entry| entry[2]);
        for entry in entries.chunks_exact_mut(8).filter(|entry| entry.starts_with(&OWNING_GROUP)) {
            entry[2] &= others;
        }
        acl
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_new_group_gets_no_more_than_all_others() {
            let entry = |tag: u8, permissions: u8| [tag, 0, permissions, 0, 0xFF, 0xFF, 0xFF, 0xFF];
            let acl = |group| {
                let entries = [entry(1, 6), entry(2, 6), entry(4, group), entry(0x10, 7), entry(0x20, 4)];
                [&[2, 0, 0, 0][..], entries.as_flattened()].concat()
            };
            assert_eq!(without_group(&acl(6)), acl(4));
            assert_eq!(without_group(&acl(0)), acl(0));
            assert!(without_group(&[]).is_empty());
        }
    }
}
