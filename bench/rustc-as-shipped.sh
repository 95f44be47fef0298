#!/bin/sh
# Compiles kreg as every user gets it: without `-Ctarget-cpu`, which the peers need.
for argument in "$@"; do
    shift
    case "$crate,$argument" in
        kreg,-Ctarget-cpu=* | kreg_kernels,-Ctarget-cpu=*) ;;
        *) set -- "$@" "$argument" ;;
    esac
    [ "$previous" = --crate-name ] && crate=$argument
    previous=$argument
done
exec "$@"
