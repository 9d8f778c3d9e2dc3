#!/bin/sh
# fetch.sh DIR [PACKAGE...]: unpacks the newest kernel for virtual machines of the Debian release of this host into DIR, and each
# package into DIR/PACKAGE. It installs nothing. What it fetches comes from where apt is configured to.
set -eu
dir=$1
shift
mkdir -p "$dir"
work=$(mktemp -d "$dir/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT

# unpack PACKAGE: into new/ beside what else is fetched.
unpack() {
	apt-get -qq -o APT::Sandbox::User=root download "$1" || { apt-get update -qq; apt-get -qq -o APT::Sandbox::User=root download "$1"; }
	rm -rf new
	dpkg -x ./"$1"_*.deb new
}

cd "$work"
if [ -z "$(find "$dir/boot" -name 'vmlinuz-*' 2>/dev/null)" ]; then
	package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends:/ { print $2; exit }')
	if [ -z "$package" ]; then
		apt-get update -qq
		package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends:/ { print $2; exit }')
	fi
	[ -n "$package" ] || { echo "apt knows no kernel for virtual machines: linux-image-cloud-amd64" >&2; exit 1; }
	unpack "$package"
	rm -rf "$dir/lib"
	mv new/lib "$dir/lib"
	mv new/boot "$dir/boot" # last: whoever sees it sees all
fi
for package; do
	[ -e "$dir/$package" ] && continue
	unpack "$package"
	mv new "$dir/$package"
done
