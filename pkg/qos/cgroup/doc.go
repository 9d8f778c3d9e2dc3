// Package cgroup brings the settings that package qos decided into the cgroup
// file systems of a Linux host, and takes them back.
//
// It finds out which interface (v1, v2 or a mix) carries each controller, opens
// every path beneath the cgroup root without following links or crossing
// mounts, writes only existing files that are known as knobs, and reads each value
// back after the write. Before the first write of a knob its
// original value is on disk in the [Journal]. It decides no value, creates no
// group and no file, and moves no process.
package cgroup
