/* SPDX-License-Identifier: MIT */
/* test_yaml.c - config.yaml as it is uploaded: what a reader of YAML takes for the same values. */
#include "sinks/wandb/upload/content/write_json.h"
#include "tests/support/suite.h"

static const struct {
    const char *json, *yaml;
} cases[] = {
    {"{\"lr\": 1e-8}", "lr: 1.0e-08\n"},
    {"{\"lr\": 2.5e-8}", "lr: 2.5e-08\n"},
    {"{\"lr\": 0.001, \"many\": 3, \"no\": null}", "lr: 0.001\nmany: 3\n\"no\": null\n"},
    {"{\"a\": {\"value\": [1, true, \"x\"]}}",
     "a:\n    value:\n        - 1\n        - true\n        - x\n"},
    {"{\"a\": {\"value\": \"1e-8\"}}", "a:\n    value: \"1e-8\"\n"},
};

START_TEST(a_value_is_the_same_in_yaml)
{
    json_t *json = json_loads(cases[_i].json, 0, NULL);
    struct swi_text text = {0};
    swi_write_yaml(&text, json);
    ck_assert_str_eq(text.data, cases[_i].yaml);
    swi_text_free(&text);
    json_decref(json);
}
END_TEST

SUITE(wandb_yaml)
{
    tcase_add_loop_test(tc, a_value_is_the_same_in_yaml, 0, sizeof cases / sizeof *cases);
}
