# SPDX-License-Identifier: MIT
# A program that has functions of its own with the names of those in the sinks' libraries (it contains another SQLite, JSON
# or YAML library, or uses one that does) trains as without them: its functions are never called, and each sink has its
# result. Allocators and functions of libc that a program or a preloaded library replaces are called as before.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "libraries that are preloaded come before the sanitizer; a program with one is tried without"
as_installed
LD_LIBRARY_PATH=$BUILDDIR/.libs
WANDB_API_KEY=0123456789012345678901234567890123456789
export LD_LIBRARY_PATH WANDB_API_KEY

cat >train.c <<'END'
#include <stepwatch/stepwatch.h>
int main(void)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open("s.yaml", &err);
    for (int i = 0; sw && i < 10; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_log(sw, "loss", 1.0 / (i + 1));
        sw_end_batch(sw, 1);
    }
    if (sw)
        sw_alert(sw, SW_WARNING, "done", "all");
    if (sw && sw_close(sw, &err) >= 0)
        return 0;
    sw_error_print(stderr, &err);
    return 3;
}
END
# What sinks and the library call, and what their libraries call of themselves.
symbols="json_object_get json_object json_delete json_dumps json_loads json_loadb json_object_set_new json_string json_unpack
    sqlite3_open_v2 sqlite3_exec sqlite3_prepare_v2 sqlite3_step sqlite3_free sqlite3_malloc sqlite3_finalize
    yaml_parser_initialize yaml_parser_parse yaml_parser_fetch_more_tokens yaml_parser_update_buffer yaml_malloc yaml_free
    yaml_event_delete yaml_parser_delete
    curl_easy_init curl_easy_setopt curl_easy_perform curl_easy_cleanup curl_global_init_mem curl_slist_append curl_free
    curl_multi_init curl_multi_add_handle curl_mvsnprintf curl_maprintf curl_multi_perform curl_url_set
    deflate deflateInit_ deflateInit2_ deflateEnd deflateBound deflateCopy deflateReset deflateSetHeader crc32 adler32 inflate zlibVersion compress2
    ZSTD_createCCtx ZSTD_CCtx_setParameter ZSTD_CCtx_reset ZSTD_compressStream2 ZSTD_compressBound ZSTD_freeCCtx ZSTD_isError
    SSL_CTX_new SSL_new OPENSSL_init_ssl OPENSSL_init_crypto CRYPTO_malloc EVP_sha256 nghttp2_session_client_new"
{
    printf '#include <stdio.h>\n#include <stdlib.h>\n'
    for symbol in $symbols; do
        echo "void $symbol(void) { perror(\"$symbol() of the program was called\"); abort(); }"
    done
} >others.c
cc -w -fno-builtin -shared -fPIC -o libothers.so others.c
cc -w -fno-builtin -rdynamic -o exports train.c others.c $(pkg-config --cflags --libs stepwatch)
cc -o uses train.c -Wl,--no-as-needed -L. -lothers -Wl,-rpath,"$scratch" $(pkg-config --cflags --libs stepwatch)
cc -w -fno-builtin -fsanitize=address -rdynamic -o sanitizing train.c others.c $(pkg-config --cflags --libs stepwatch)
cc -o alone train.c $(pkg-config --cflags --libs stepwatch)

cat >s.yaml <<'END'
profiler: { show_report: false, close_timeout: 2s, watchdog: { webhook: "http://127.0.0.1:9/" } }
logger_callback:
  - csv: { path: r.csv }
END
sink() # NAME TEXT
{
    test ! -e "$STEPWATCH_PLUGIN_PATH/$1.so" || echo "  - $2" >>s.yaml
}
sink mlflow "mlflow: { tracking_uri: 'http://127.0.0.1:9', dir: mlruns }"
sink runlog "runlog: { path: run.jsonl.gz }"
grep -q "define HAVE_ZSTD" "$BUILDDIR/config.h" && sink runlog "runlog: { path: other.jsonl.zst }"
sink sqlite "sqlite: { database: s.db }"
sink table "table: { path: table.txt }"
sink tensorboard "tensorboard: { logdir: tb }"
sink trace "trace: { path: trace.json.gz }"
sink wandb "wandb: { mode: online, dir: ., base_url: 'http://127.0.0.1:9' }"
sink prometheus "prometheus: { push: 'http://127.0.0.1:9/' }"

# results: what the sinks wrote, without the numbers and the times in names.
results()
{
    find . -type f ! -name said.txt | sed 's/_[0-9a-f]\{20\}\./_ID./; s/-[a-z0-9]\{8\}\([./]\)/-ID\1/g; s/[0-9a-f]\{32\}/ID/; s/[0-9][0-9]*/N/g' | sort -u
}

# train FOLDER COMMAND...: trains in a folder of its own.
train()
{
    mkdir "$1"
    cp s.yaml "$1"
    (cd "$1" && shift && "$@" >said.txt 2>&1) || fail "$1: exit status $?:" "$(cat "$1/said.txt")"
    ! grep 'of the program was called\|symbol' "$1/said.txt" || fail "$1 (above)"
    (cd "$1" && results) >"$1.txt"
    # Nobody answers, so whoever uses the network says so.
    sed -n "s/.*\(sink [a-z]*\|watchdog\):.*Couldn't connect to server.*/\1/p" "$1/said.txt" | sort -u >>"$1.txt"
}
train plain ../alone
contains plain.txt watchdog
for how in exported linked preloaded sanitized; do
    case $how in
    sanitized) train $how env ASAN_OPTIONS=detect_leaks=0 ../sanitizing ;;
    exported) train $how ../exports ;;
    linked) train $how ../uses ;;
    preloaded) train $how env LD_PRELOAD="$scratch/libothers.so" ../alone ;;
    esac
    diff plain.txt $how.txt >difference.txt || fail "$how: other results than without these functions:" "$(cat difference.txt)"
done

# An allocator of the program's choice is used for everything, by the sinks as well.
for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
    test -z "$(env LD_PRELOAD=$allocator true 2>&1)" || { echo "SKIP: $name: $allocator is not installed"; continue; }
    train $allocator env LD_PRELOAD=$allocator ../exports
    diff plain.txt $allocator.txt >difference.txt || fail "$allocator: other results:" "$(cat difference.txt)"
done
