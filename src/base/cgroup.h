/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IG_BASE_CGROUP_H
#define IG_BASE_CGROUP_H

/* CPUs' worth of time that the control groups of this process allow, rounded up: the tightest quota
 * on the way from its own group to the root, of version 2 (cpu.max) and 1 (cpu.cfs_*_us). 0: no
 * quota. `proc_file` is /proc/self/cgroup and `root` is /sys/fs/cgroup, except in tests. */
int ig_cgroup_n_cpus(const char *proc_file, const char *root);

#endif
