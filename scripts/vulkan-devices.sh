#!/usr/bin/env bash
# Two Vulkan devices that need no GPU, for the tests of the wgpu rows: lavapipe (subgroups of 8) and SwiftShader (of 4).
# Installs Mesa's drivers, unpacks SwiftShader from Debian's Chromium below target/, and prints the value of
# VK_ICD_FILENAMES that makes wgpu find both:
#
#   VK_ICD_FILENAMES=$(scripts/vulkan-devices.sh) cargo test --features wgpu --test wgpu
#
# What cannot be had is named on stderr; with CI=true that is a failure.
set -uo pipefail
cd "$(dirname "$0")/.."

missing() {
    echo "vulkan-devices: no $1: $2" >&2
    [ "${CI:-}" != true ] || exit 1
}

lavapipe=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json
folder=$PWD/target/swiftshader
swiftshader=$folder/usr/lib/chromium/vk_swiftshader_icd.json
if ! { [ -f "$lavapipe" ] && ldconfig -p | grep -q libvulkan.so.1 && [ -f "$swiftshader" ]; } && command -v apt-get > /dev/null; then
    {
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends mesa-vulkan-drivers libvulkan1
        mkdir -p "$folder" && (cd "$folder" && apt-get download chromium-common && dpkg -x chromium-common_*.deb . && rm chromium-common_*.deb)
    } >&2
fi

found=()
if [ -f "$lavapipe" ]; then found+=("$lavapipe"); else missing lavapipe "package mesa-vulkan-drivers"; fi
if [ -f "$swiftshader" ]; then found+=("$swiftshader"); else missing SwiftShader "package chromium-common"; fi
(IFS=:; echo "${found[*]}")
