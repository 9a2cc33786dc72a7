//! Tasks and memory that remain in the control groups of this process, in versions 1 and 2 of the interface. A group
//! is limited by all the groups above it, so the smallest remainder counts.

use std::fs::read_to_string;
use std::path::Path;

/// Version 1 represents "no limit" by a number near 2^63.
const UNLIMITED: u64 = 1 << 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// In tasks.
    Pids,
    /// In bytes.
    Memory,
}

impl Controller {
    fn name(self) -> &'static str {
        match self {
            Controller::Pids => "pids",
            Controller::Memory => "memory",
        }
    }

    /// The files with the limit, by version 2 and 1, and those with the current use.
    fn files(self) -> ([&'static str; 2], [&'static str; 2]) {
        match self {
            Controller::Pids => (["pids.max"; 2], ["pids.current"; 2]),
            Controller::Memory => {
                (["memory.max", "memory.limit_in_bytes"], ["memory.current", "memory.usage_in_bytes"])
            }
        }
    }
}

/// `root` is /sys/fs/cgroup, `groups` the content of /proc/self/cgroup: "0::/path" in version 2, "4:cpu,memory:/path"
/// in version 1. None: no limit.
pub fn least_room(root: &Path, groups: &str, controller: Controller) -> Option<u64> {
    let rooms = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (names, path) = (parts.next()?, parts.next()?);
        let folder = match names {
            "" => root.to_owned(),
            _ if names.split(',').any(|name| name == controller.name()) => root.join(controller.name()),
            _ => return None,
        };
        // A path with ".." is above the mounted hierarchy.
        let below = if path.contains("..") { "" } else { path.trim_start_matches('/') };
        room_up_to(&folder, &folder.join(below), controller)
    });
    rooms.min()
}

/// The smallest remainder from `folder` up to `top`. Inside a container the path may be the host's and not exist
/// here; then only the top counts.
fn room_up_to(top: &Path, folder: &Path, controller: Controller) -> Option<u64> {
    let groups = folder.ancestors().take_while(|each| each.starts_with(top));
    groups.filter_map(|each| room_in(each, controller)).min()
}

fn room_in(folder: &Path, controller: Controller) -> Option<u64> {
    let (most_files, taken_files) = controller.files();
    let first_of = |names: [&str; 2]| names.into_iter().find_map(|name| number_in(&folder.join(name)));
    let most = first_of(most_files).filter(|most| *most < UNLIMITED)?;
    let taken = first_of(taken_files).unwrap_or(0);
    let given_back = if controller == Controller::Memory { reclaimable(folder) } else { 0 };
    Some(most.saturating_sub(taken.saturating_sub(given_back)))
}

fn number_in(path: &Path) -> Option<u64> {
    read_to_string(path).ok()?.trim().parse().ok()
}

/// Page cache that the kernel reclaims when necessary.
fn reclaimable(folder: &Path) -> u64 {
    let text = read_to_string(folder.join("memory.stat")).unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, remove_dir_all, write};
    use std::path::PathBuf;

    /// A folder with these files, removed at the end.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, files: &[(&str, &str)]) -> Tree {
            let root = std::env::temp_dir().join(format!("broadside-{name}-{}", std::process::id()));
            for (path, text) in files {
                let file = root.join(path);
                create_dir_all(file.parent().unwrap()).unwrap();
                write(file, text).unwrap();
            }
            Tree(root)
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn takes_the_least_of_all_groups_above() {
        let tree = Tree::new(
            "version-2",
            &[
                ("a/pids.max", "100\n"),
                ("a/pids.current", "40\n"),
                ("a/b/pids.max", "max\n"),
                ("a/b/memory.max", "5000\n"),
                ("a/b/memory.current", "4000\n"),
                ("a/b/memory.stat", "anon 1\ninactive_file 1500\n"),
            ],
        );
        assert_eq!(least_room(&tree.0, "0::/a/b\n", Controller::Pids), Some(60));
        assert_eq!(least_room(&tree.0, "0::/a/b\n", Controller::Memory), Some(2500));
        assert_eq!(least_room(&tree.0, "0::/\n", Controller::Pids), None);
        assert_eq!(least_room(&tree.0, "0::/../elsewhere\n", Controller::Pids), None);
    }

    #[test]
    fn reads_version_1() {
        let tree = Tree::new(
            "version-1",
            &[
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("memory/x/memory.limit_in_bytes", "1000\n"),
                ("memory/x/memory.usage_in_bytes", "2000\n"),
                ("pids/y/pids.max", "8\n"),
            ],
        );
        let groups = "4:cpu,memory:/x\n3:pids:/y\n1:name=systemd:/z\n";
        assert_eq!(least_room(&tree.0, groups, Controller::Memory), Some(0));
        assert_eq!(least_room(&tree.0, groups, Controller::Pids), Some(8));
    }
}
