/* SPDX-License-Identifier: MIT */
/* test_credentials.c - where the key and the address are looked for, in which order, and what is
 * said of one that is none. */
#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/account/service.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keys of 40 characters that say where they stood. */
#define KEY(c) c c c c c c c c c c
#define OF_ENV KEY("envi")
#define OF_NETRC KEY("net_")
#define OF_OTHER KEY("othr")
#define OF_DEFAULT KEY("dflt")
#define OF_FILE KEY("file")
#define OF_LOCAL KEY("locl")

static struct swi_wandb_key key;
static struct sw_error err;

/* An empty home, and nothing of whoever runs the tests. */
static void begin(void)
{
    const char *home = scratch_enter();
    static const char *const names[] = {"NETRC",
                                        "WANDB_API_KEY",
                                        "WANDB_CONFIG_DIR",
                                        "WANDB_IDENTITY_TOKEN_FILE",
                                        "WANDB_BASE_URL",
                                        "WANDB_APP_URL",
                                        "WANDB_HTTP_PROXY",
                                        "WANDB_HTTPS_PROXY",
                                        "WANDB_USERNAME",
                                        "WANDB_USER_EMAIL",
                                        "https_proxy",
                                        "HTTPS_PROXY",
                                        "all_proxy",
                                        "no_proxy",
                                        "WANDB_INSECURE_DISABLE_SSL"};
    setenv("HOME", home, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    key = (struct swi_wandb_key){0};
}

static void put(const char *name, const char *text)
{
    scratch_write(name, text, strlen(text));
    chmod(name, 0600);
}

/* ---- the order ------------------------------------------------------------------------------- */

static const struct {
    const char *url, *env, *netrc, *global, *local, *expected;
} order[] = {
    {"https://h", NULL, NULL, NULL, NULL, NULL},
    {"https://h", OF_ENV, "machine h password " OF_NETRC, OF_FILE, OF_LOCAL, OF_ENV},
    {"https://h", NULL, "machine h password " OF_NETRC, OF_FILE, OF_LOCAL, OF_NETRC},
    {"https://h", NULL, "machine x password " OF_NETRC, OF_FILE, OF_LOCAL, OF_LOCAL},
    {"https://h", NULL, NULL, OF_FILE, NULL, OF_FILE},
    /* the port belongs to the machine's name, where the address has one */
    {"http://h:8080", NULL, "machine h password " OF_OTHER, NULL, NULL, NULL},
    {"http://h:8080", NULL, "machine h:8080 password " OF_NETRC, NULL, NULL, OF_NETRC},
    {"http://h", NULL, "machine h:80 password " OF_OTHER, NULL, NULL, NULL},
    {"http://h:8080/path", NULL, "machine h:8080 password " OF_NETRC, NULL, NULL, OF_NETRC},
    /* the entry default serves whom no other does */
    {"https://h", NULL, "default login user password " OF_DEFAULT, NULL, NULL, OF_DEFAULT},
    {"https://h", NULL, "machine h password " OF_NETRC "\ndefault password " OF_DEFAULT, NULL, NULL,
     OF_NETRC},
    {"https://h", NULL, "machine x password " OF_OTHER "\ndefault password " OF_DEFAULT, NULL, NULL,
     OF_DEFAULT},
    /* the forms of a netrc */
    {"https://h", NULL, "machine h\n\tlogin user\n\taccount a\n\tpassword " OF_NETRC "\n", NULL,
     NULL, OF_NETRC},
    {"https://h", NULL, "# machine h password " OF_OTHER "\nmachine h login # password " OF_NETRC,
     NULL, NULL, OF_NETRC},
    {"https://h", NULL, "machine h login password password \"" OF_NETRC "\"", NULL, NULL, OF_NETRC},
    {"https://h", NULL, "macdef m\nmachine h password " OF_OTHER "\n\nmachine h password " OF_NETRC,
     NULL, NULL, OF_NETRC},
    {"https://h", NULL, "machine H password " OF_NETRC, NULL, NULL, OF_NETRC},
    {"https://h", NULL, "machine", NULL, NULL, NULL},
    {"https://h", NULL, "machine h password", NULL, NULL, NULL},
    {"https://h", NULL, "machine h password \"" OF_NETRC, NULL, NULL, OF_NETRC},
    /* comments, as Python's module netrc reads them */
    {"https://h", NULL, "#wandb\nmachine h login u password " OF_NETRC "\n", NULL, NULL, OF_NETRC},
    {"https://h", NULL, "#\nmachine h login u password " OF_NETRC "\n", NULL, NULL, OF_NETRC},
    {"https://h", NULL, "#\r\nmachine h login u password " OF_NETRC "\r\n", NULL, NULL, OF_NETRC},
    {"https://h", NULL, "machine x login u password p #mine\nmachine h password " OF_NETRC, NULL,
     NULL, OF_NETRC},
    {"https://h", NULL, "machine h\nlogin u\n#x\npassword " OF_NETRC "\n", NULL, NULL, OF_NETRC},
    {"https://h", NULL, "machine h # password " OF_OTHER "\n user u password " OF_NETRC, NULL, NULL,
     OF_NETRC},
    {"https://h", NULL, "machine x password abc#def\nmachine h password " OF_NETRC, NULL, NULL,
     OF_NETRC},
    {"https://h", NULL, "macdef init\r\ncd x\r\n\r\nmachine h password " OF_NETRC "\r\n", NULL,
     NULL, OF_NETRC},
    {"https://h", NULL, "macdef init\n\nmachine h password " OF_NETRC, NULL, NULL, OF_NETRC},
    {"https://h", NULL, "machine h password " OF_OTHER "\nmachine h password " OF_NETRC, NULL, NULL,
     OF_NETRC},
    /* who logged in before the service moved */
    {"https://api.forge.coreweave.com", NULL, "machine api.wandb.ai password " OF_NETRC, NULL, NULL,
     OF_NETRC},
    {"https://elsewhere.example", NULL, "machine api.wandb.ai password " OF_NETRC, NULL, NULL,
     NULL},
    {"https://api.forge.coreweave.com.elsewhere.example", NULL,
     "machine api.wandb.ai password " OF_NETRC, NULL, NULL, NULL},
    {"https://eforge.coreweave.com", NULL, "machine api.wandb.ai password " OF_NETRC, NULL, NULL,
     NULL},
};

static void settings(const char *name, const char *value)
{
    char text[256];
    snprintf(text, sizeof text, "[default]\napi_key = %s\n", value);
    put(name, text);
}

START_TEST(the_key_is_looked_for_in_order)
{
    begin();
    if (order[_i].env)
        setenv("WANDB_API_KEY", order[_i].env, 1);
    if (order[_i].netrc)
        put(".netrc", order[_i].netrc);
    mkdir(".config", 0700);
    mkdir(".config/wandb", 0700);
    mkdir("wandb", 0700);
    if (order[_i].global)
        settings(".config/wandb/settings", order[_i].global);
    if (order[_i].local)
        settings("wandb/settings", order[_i].local);
    int rc = swi_wandb_key_find(NULL, order[_i].url, &key, &err);
    ck_assert_int_eq(rc, order[_i].expected ? 1 : 0);
    ck_assert_str_eq(key.key, order[_i].expected ? order[_i].expected : "");
}
END_TEST

/* As Python's configparser reads them. */
static const struct {
    const char *text, *expected;
} settings_forms[] = {
    {"[default]\nAPI_Key = " OF_FILE "\n", OF_FILE},
    {"[default]\napi_key: " OF_FILE "\n", OF_FILE},
    {"[DEFAULT]\napi_key = " OF_FILE "\n[default]\nproject = p\n", OF_FILE},
    {"[default]\napi_key = " OF_FILE "\n[DEFAULT]\napi_key = " OF_OTHER "\n", OF_FILE},
    {"[default]  # mine\n  api_key = " OF_FILE "\n  project = p\n", OF_FILE},
    {"[Default]\napi_key = " OF_OTHER "\n", ""},
    {"[default]\n#api_key = " OF_OTHER "\n;api_key = " OF_OTHER "\n", ""},
    {"[default]\nproject = p\n  api_key = " OF_OTHER "\n", ""},
};

START_TEST(a_settings_file_is_read_as_the_sdk_reads_it)
{
    begin();
    mkdir("wandb", 0700);
    put("wandb/settings", settings_forms[_i].text);
    swi_wandb_key_find(NULL, "https://h", &key, &err);
    ck_assert_str_eq(key.key, settings_forms[_i].expected);
}
END_TEST

START_TEST(a_setting_goes_on_in_lines_that_are_indented)
{
    char value[SWI_WANDB_VALUE];
    begin();
    mkdir("wandb", 0700);
    put("wandb/settings", "[default]\nIgnore_Globs = a%%b,\n  c\n# no\n\td\nproject = p\n");
    ck_assert_int_eq(swi_wandb_setting(NULL, NULL, "ignore_globs", value, &err), 0);
    ck_assert_str_eq(value, "a%b,\nc\nd");
}
END_TEST

START_TEST(netrc_may_be_elsewhere)
{
    begin();
    put("_netrc", "machine h password " OF_OTHER);
    ck_assert_int_eq(swi_wandb_key_find("", "https://h", &key, &err), 1);
    ck_assert_str_eq(key.key, OF_OTHER);
    put("mine", "machine h password " OF_NETRC);
    setenv("NETRC", "mine", 1);
    ck_assert_int_eq(swi_wandb_key_find("", "https://h", &key, &err), 1);
    ck_assert_str_eq(key.key, OF_NETRC);
}
END_TEST

START_TEST(a_netrc_that_others_can_read_is_used_and_said)
{
    begin();
    put(".netrc", "machine h password " OF_NETRC);
    ck_assert_int_eq(swi_wandb_key_find("", "https://h", &key, &err), 1);
    ck_assert_str_eq(key.warning, "");
    chmod(".netrc", 0644);
    ck_assert_int_eq(swi_wandb_key_find("", "https://h", &key, &err), 1);
    ck_assert_msg(strstr(key.warning, "chmod 600") != NULL, "%s", key.warning);
}
END_TEST

START_TEST(a_key_file_comes_first_and_must_be_its_owners_alone)
{
    begin();
    setenv("WANDB_API_KEY", OF_ENV, 1);
    put("key", OF_FILE "\n");
    ck_assert_int_eq(swi_wandb_key_find("key", "https://h", &key, &err), 1);
    ck_assert_str_eq(key.key, OF_FILE);
    chmod("key", 0640);
    ck_assert_int_eq(swi_wandb_key_find("key", "https://h", &key, &err), SW_EINVAL);
    ck_assert_msg(strstr(sw_error_text(&err), "chmod 600") != NULL, "%s", sw_error_text(&err));
    ck_assert_ptr_null(strstr(sw_error_text(&err), OF_FILE));
    ck_assert_int_eq(swi_wandb_key_find("nowhere", "https://h", &key, &err), SW_EINVAL);
    ck_assert_int_eq(swi_wandb_key_find("/", "https://h", &key, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), "key_file /: cannot be read: it is not a regular file");
}
END_TEST

/* A volume of Kubernetes has keys that root may change and a group may read. */
START_TEST(a_key_file_of_root_is_used_and_one_of_another_user_is_not)
{
    if (geteuid() != 0) {
        puts("SKIP: a file of another user can only be made by root");
        return;
    }
    begin();
    put("key", OF_FILE "\n");
    ck_assert_int_eq(chmod("key", 0440) | chmod(".", 0755), 0);
    ck_assert_int_eq(seteuid(1234), 0);
    ck_assert_int_eq(swi_wandb_key_find("key", "https://h", &key, &err), 1);
    ck_assert_str_eq(key.warning, "");
    ck_assert_int_eq(seteuid(0) | chmod("key", 0444) | seteuid(1234), 0);
    ck_assert_int_eq(swi_wandb_key_find("key", "https://h", &key, &err), 1);
    ck_assert_msg(strstr(key.warning, "everybody can read") != NULL, "%s", key.warning);
    ck_assert_int_eq(seteuid(0) | chown("key", 1000, 0) | seteuid(1234), 0);
    ck_assert_int_eq(swi_wandb_key_find("key", "https://h", &key, &err), SW_EINVAL);
    ck_assert_msg(strstr(sw_error_text(&err), "copy it into a file of your own") != NULL, "%s",
                  sw_error_text(&err));
    ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

START_TEST(an_identity_token_goes_instead_of_a_key_and_not_beside_one)
{
    begin();
    put(".netrc", "machine h password " OF_NETRC);
    setenv("WANDB_IDENTITY_TOKEN_FILE", "/run/token", 1);
    ck_assert_int_eq(swi_wandb_key_find("", "https://h", &key, &err), 1);
    ck_assert_str_eq(key.identity, "/run/token");
    ck_assert_str_eq(key.key, "");
    setenv("WANDB_API_KEY", OF_ENV, 1);
    ck_assert_int_eq(swi_wandb_key_find("", "https://h", &key, &err), SW_EINVAL);
    ck_assert_msg(strstr(sw_error_text(&err), "unset one") != NULL, "%s", sw_error_text(&err));
}
END_TEST

/* ---- the form -------------------------------------------------------------------------------- */

static const struct {
    const char *key;
    bool good;
} forms[] = {
    {KEY("0123"), true},
    {"local-" KEY("0123"), true},
    {"wandb_v1_" KEY("aZ-_") KEY("0123"), true},
    {" " KEY("0123") "\n", true},
    {"eyJh.eyJz.c2ln", true},
    {"short", false},
    {"local-0123456789012345678901234567890123", false},
    {KEY("0123") " ", true},
    {KEY("01 3"), false},
    {KEY("012\xc3\xa4"), false},
    {KEY("012:"), false},
    {"0123456789012345678901234567890123456\r\n8", false},
};

START_TEST(an_invalid_key_is_refused_without_showing_it)
{
    begin();
    setenv("WANDB_API_KEY", forms[_i].key, 1);
    int rc = swi_wandb_key_find(NULL, "https://h", &key, &err);
    ck_assert_int_eq(rc, forms[_i].good ? 1 : SW_EINVAL);
    if (rc < 0) {
        ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "WANDB_API_KEY: is not an API key"));
        ck_assert_ptr_null(strstr(sw_error_text(&err), forms[_i].key));
        ck_assert_ptr_null(key.key);
    }
}
END_TEST

/* ---- the service ----------------------------------------------------------------------------- */

static const struct {
    const char *told, *base, *app;
} addresses[] = {
    {"", "https://api.forge.coreweave.com", "https://forge.coreweave.com/wandb"},
    {"https://api.wandb.ai/", "https://api.wandb.ai", "https://forge.coreweave.com/wandb"},
    {"https://api.wandb.example.com", "https://api.wandb.example.com", "https://wandb.example.com"},
    {"https://api.example.com//", "https://api.example.com", "https://app.example.com"},
    {"http://127.0.0.1:8080", "http://127.0.0.1:8080", "http://127.0.0.1:8080"},
    {"http://h/sub/path/", "http://h/sub/path", "http://h/sub/path"},
    {"ftp://h", NULL, NULL},
    {"h:80", NULL, NULL},
    {"https://", NULL, NULL},
    {"https://user:password@h", NULL, NULL},
    {"https://h\r\nX: y", NULL, NULL},
    {"https://h?token=password", NULL, NULL},
    {"http://api.wandb.ai", NULL, NULL},
    {"https://wandb.ai", NULL, NULL},
    {"https://notwandb.ai", "https://notwandb.ai", "https://notwandb.ai"},
};

START_TEST(an_address_is_one_of_the_web_and_leads_to_its_pages)
{
    struct swi_wandb_service service = {0};
    begin();
    int rc = swi_wandb_service_find(&service, addresses[_i].told, &err);
    ck_assert_int_eq(rc, addresses[_i].base ? 0 : SW_EINVAL);
    if (rc < 0) {
        ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "WANDB_BASE_URL"));
        ck_assert_ptr_null(strstr(sw_error_text(&err), "password"));
        return;
    }
    ck_assert_str_eq(service.base_url, addresses[_i].base);
    ck_assert_str_eq(service.app_url, addresses[_i].app);
}
END_TEST

static const struct {
    const char *base;
    bool open;
} places[] = {{"https://h", false},
              {"http://h", true},
              {"http://localhost:8080", false},
              {"http://127.0.0.1:8080", false},
              {"http://[::1]:8080/path", false},
              {"http://127.0.0.2", false},
              {"http://127.example", true},
              {"http://localhost.example", true},
              {"http://10.0.0.1", true}};

START_TEST(an_address_without_tls_is_open_unless_it_is_this_machine)
{
    struct swi_wandb_service service = {0};
    begin();
    ck_assert_int_eq(swi_wandb_service_find(&service, places[_i].base, &err), 0);
    ck_assert_int_eq(service.open, places[_i].open);
}
END_TEST

START_TEST(what_belongs_to_an_address_is_found_by_its_scheme)
{
    struct swi_wandb_service service = {0};
    begin();
    setenv("WANDB_BASE_URL", "https://h", 1);
    setenv("WANDB_APP_URL", "https://pages/", 1);
    setenv("WANDB_HTTP_PROXY", "http://p:1", 1);
    setenv("WANDB_HTTPS_PROXY", "http://p:2", 1);
    setenv("WANDB_INSECURE_DISABLE_SSL", "true", 1);
    ck_assert_int_eq(swi_wandb_service_find(&service, NULL, &err), 0);
    ck_assert_str_eq(service.base_url, "https://h");
    ck_assert_str_eq(service.app_url, "https://pages");
    ck_assert_str_eq(service.connection.proxy[1], "http://p:2");
    ck_assert(service.insecure);
    ck_assert_str_eq(service.connection.proxy[0], "http://p:1");
}
END_TEST

START_TEST(what_a_connection_needs_of_the_environment_is_read_with_the_settings)
{
    struct swi_wandb_service service = {0};
    begin();
    setenv("http_proxy", "http://p:3", 1);
    setenv("ALL_PROXY", "http://p:4", 1);
    setenv("NO_PROXY", "h", 1);
    setenv("SSL_CERT_DIR", "/a:/b", 1);
    setenv("WANDB_USERNAME", "someone", 1);
    ck_assert_int_eq(swi_wandb_service_find(&service, "http://h", &err), 0);
    ck_assert_str_eq(service.connection.proxy[0], "http://p:3");
    ck_assert_str_eq(service.connection.proxy[1], "http://p:4");
    ck_assert_str_eq(service.connection.no_proxy, "h");
    ck_assert_str_eq(service.connection.ca_folders, "/a:/b");
    ck_assert_str_eq(service.user, "someone");
    ck_assert_str_eq(service.mail, "");
}
END_TEST

static const struct {
    const char *told;
    double seconds; /* 0: refused */
} waits[] = {{"30", 30}, {"2.5", 2.5}, {".25", 0.25}, {"86400", 86400}, {"0", 0},
             {"0.0", 0}, {"-1", 0},    {"1e3", 0},    {"1.2.3", 0},     {"86401", 0},
             {".", 0},   {"5 s", 0},   {"soon", 0},   {"nan", 0},       {"1,5", 0}};

START_TEST(how_long_to_wait_is_reported_in_seconds)
{
    struct swi_wandb_service service = {0};
    begin();
    ck_assert_int_eq(swi_wandb_service_find(&service, "http://h", &err), 0);
    ck_assert(service.answer_s == 0 && service.file_s == 0);
    setenv("WANDB_HTTP_TIMEOUT", waits[_i].told, 1);
    setenv("WANDB_FILE_PUSHER_TIMEOUT", "60", 1);
    int rc = swi_wandb_service_find(&service, "http://h", &err);
    ck_assert_int_eq(rc, waits[_i].seconds > 0 ? 0 : SW_EINVAL);
    if (rc < 0)
        ck_assert_msg(strstr(sw_error_text(&err), "WANDB_HTTP_TIMEOUT \"") &&
                          strstr(sw_error_text(&err), waits[_i].told) &&
                          strstr(sw_error_text(&err), "like 30 or 2.5"),
                      "%s", sw_error_text(&err));
    else
        ck_assert(service.answer_s == waits[_i].seconds && service.file_s == 60);
    unsetenv("WANDB_HTTP_TIMEOUT");
    unsetenv("WANDB_FILE_PUSHER_TIMEOUT");
}
END_TEST

SUITE(wandb_credentials)
{
    tcase_add_loop_test(tc, how_long_to_wait_is_reported_in_seconds, 0,
                        sizeof waits / sizeof *waits);
    tcase_add_loop_test(tc, the_key_is_looked_for_in_order, 0, sizeof order / sizeof *order);
    tcase_add_loop_test(tc, a_settings_file_is_read_as_the_sdk_reads_it, 0,
                        sizeof settings_forms / sizeof *settings_forms);
    tcase_add_test(tc, a_setting_goes_on_in_lines_that_are_indented);
    tcase_add_test(tc, netrc_may_be_elsewhere);
    tcase_add_test(tc, a_netrc_that_others_can_read_is_used_and_said);
    tcase_add_test(tc, a_key_file_comes_first_and_must_be_its_owners_alone);
    tcase_add_test(tc, a_key_file_of_root_is_used_and_one_of_another_user_is_not);
    tcase_add_test(tc, an_identity_token_goes_instead_of_a_key_and_not_beside_one);
    tcase_add_loop_test(tc, an_invalid_key_is_refused_without_showing_it, 0,
                        sizeof forms / sizeof *forms);
    tcase_add_loop_test(tc, an_address_is_one_of_the_web_and_leads_to_its_pages, 0,
                        sizeof addresses / sizeof *addresses);
    tcase_add_loop_test(tc, an_address_without_tls_is_open_unless_it_is_this_machine, 0,
                        sizeof places / sizeof *places);
    tcase_add_test(tc, what_belongs_to_an_address_is_found_by_its_scheme);
    tcase_add_test(tc, what_a_connection_needs_of_the_environment_is_read_with_the_settings);
}
