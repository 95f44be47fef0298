#!/bin/sh
# Compiles kreg and aprender-serve (crates realizar, trueno, trueno_quant) as every user gets them: without `-Ctarget-cpu`,
# which ggml and candle need.
for argument in "$@"; do
    shift
    case "$crate,$argument" in
        kreg,-Ctarget-cpu=* | kreg_kernels,-Ctarget-cpu=*) ;;
        realizar,-Ctarget-cpu=* | trueno,-Ctarget-cpu=* | trueno_quant,-Ctarget-cpu=*) ;;
        *) set -- "$@" "$argument" ;;
    esac
    [ "$previous" = --crate-name ] && crate=$argument
    previous=$argument
done
exec "$@"
