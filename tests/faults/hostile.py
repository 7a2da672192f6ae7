# SPDX-License-Identifier: MIT
"""Surroundings that somebody else made: planted links, a setuid program's environment, and whoever looks for keys."""
import glob, os, random, re, secrets as chance, shutil, socket, subprocess

import faults
from ends import SINKS
from faults import row

NOBODY = 65534
OUTPUTS = ["run.jsonl", "report.csv", "table.txt", "report.md"]  # of the sinks that write a file each


# ---- a folder that everybody may write to --------------------------------------------------------

def sinks_in(folder):
    return ["runlog: { path: %s/run.jsonl }" % folder, "csv: { path: %s/report.csv }" % folder,
            "table: { path: %s/table.txt, plain: true }" % folder, "markdown: { path: %s/report.md }" % folder]


def plant(links):
    shutil.rmtree("shared", ignore_errors=True)
    shutil.rmtree("elsewhere", ignore_errors=True)
    os.mkdir("elsewhere")
    os.mkdir("shared")
    # Links of the user's own are followed if the folder is sticky.
    os.chmod("shared", 0o1777 if os.geteuid() == 0 else 0o777)
    with open("victim", "w") as file:
        file.write("mine\n")
    for name, target in links:
        os.symlink(target, "shared/" + name) if target else os.mkfifo("shared/" + name)
        if target and os.geteuid() == 0:
            os.chown("shared/" + name, NOBODY, NOBODY, follow_symlinks=False)


def followed():
    with open("victim") as file:
        return file.read() != "mine\n" or os.path.exists("made") or os.listdir("elsewhere")


# What is planted, None a FIFO, and the folder that the sinks write to.
PLANTED = [
    ("links to a file", [(name, "../victim") for name in OUTPUTS], "shared"),
    ("links to nothing", [(name, "../made") for name in OUTPUTS], "shared"),
    ("links to themselves", [(name, name) for name in OUTPUTS], "shared"),
    ("a link to a folder", [("there", "../elsewhere")], "shared/there"),
    ("a link to that link", [("there", "../elsewhere"), ("here", "there")], "shared/here"),
    ("FIFOs", [(name, None) for name in OUTPUTS], "shared"),
]


@row(24, short=1, full=10)
def planted_links(trials):
    """Links and FIFOs with the names of the outputs in a folder that everybody may write to, which is TMPDIR as well."""
    passed = 0
    for _ in range(trials):
        for what, links, folder in PLANTED:
            plant(links)
            faults.write_config(sinks_in(folder))
            status, _, said = faults.run_loop("steps=20", env={"TMPDIR": os.path.abspath("shared")})
            wrong = ["ended with %s" % faults.signal_name(status)] if status != 1 or faults.sanitized(said) else []
            wrong += ["a link was followed"] if followed() else []
            wrong += ["not reported: %s" % name for name in OUTPUTS if "/%s/%s: " % (folder, name) not in said]
            passed += faults.tell(what, wrong, said)
    return trials * len(PLANTED), passed, "links followed: %d" % (trials * len(PLANTED) - passed)


@row(24, short=2, full=20)
def planted_folders(trials):
    """The same with a link in place of the folder that a sink makes its files in itself."""
    faults.require_sinks("tensorboard", "wandb")
    passed = 0
    for _ in range(trials):
        for name, sink in (("runs", "tensorboard: { logdir: shared/runs }"), ("wandb", "wandb: { mode: offline, dir: shared }")):
            plant([(name, "../elsewhere")])
            faults.write_config([sink])
            status, _, said = faults.run_loop("steps=20")
            wrong = ["ended with %s" % faults.signal_name(status)] if status != 1 or faults.sanitized(said) else []
            wrong += ["a link was followed"] if followed() else []
            sentence = '/shared/%s: "%s" is a symbolic link in a folder that everybody may write to' % (name, name)
            wrong += ["not reported"] if sentence not in said else []
            passed += faults.tell(name, wrong, said)
    return 2 * trials, passed, "links followed: %d" % (2 * trials - passed)


@row(24, short=2, full=20)
def planted_configs(trials):
    """./stepwatch.yaml that somebody else laid where root runs a program: a file, a link, a FIFO."""
    if os.geteuid() != 0:
        raise faults.Skip("a file of another user can only be made by root")
    passed = 0
    for trial in range(trials):
        for kind in ("file", "link", "fifo"):
            plant([])
            with faults.inside("shared"):
                if kind == "fifo":
                    os.mkfifo("stepwatch.yaml")
                else:
                    faults.write_config(["csv: { path: ../victim }"])
                    os.rename("stepwatch.yaml", "../theirs" if kind == "link" else "stepwatch.yaml")
                if kind == "link":
                    os.symlink("../theirs", "stepwatch.yaml")
                os.chown("stepwatch.yaml", NOBODY, NOBODY, follow_symlinks=False)
                done = subprocess.run([faults.LOOP, "", "steps=20"], env=faults.environment(**faults.OWN_FAULTS), capture_output=True,
                                      timeout=faults.PATIENCE)
            said = done.stdout.decode() + done.stderr.decode()
            wrong = ["it was obeyed"] if followed() else []
            wrong += ["not reported"] if "stepwatch.yaml: " not in said else []
            passed += faults.tell((trial, kind), wrong, said)
    return 3 * trials, passed, "obeyed: %d" % (3 * trials - passed)


# ---- a locale with a decimal comma ---------------------------------------------------------------

COMMA = """LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
"""


def locale_made(whole):
    """A folder with the locale, which few machines have: all of it, or in no time what it says of numbers."""
    if not shutil.which("localedef"):
        raise faults.Skip("there is no localedef")
    os.mkdir("locales")
    with open("comma", "w") as file:
        file.write(COMMA)
    source = ["-i", "de_DE", "-f", "UTF-8"] if whole else ["-c", "-i", "./comma", "-f", "ANSI_X3.4-1968"]
    # Its exit status is 1 where it has something to say.
    subprocess.run(["localedef", *source, "locales/comma"], capture_output=True, timeout=faults.PATIENCE)
    if not os.path.isdir("locales/comma"):
        raise faults.Skip("localedef has no source of the locale")
    # The C library forgets a piece of its path.
    return {"LOCPATH": os.path.abspath("locales"), "LC_ALL": "comma", "ASAN_OPTIONS": "detect_leaks=0"}


def written():
    """The run's files as texts, except what differs between processes."""
    texts = {}
    for path in OUTPUTS + ["again.html"]:
        with open(path, encoding="utf-8") as file:
            texts[path] = re.sub(r'"(pid|own_ns)":[0-9.]+|stepwatch itself takes .*', "", file.read())
    return texts


def run_under(locale):
    """(what is wrong, the files) of a run under a clock of its own, and of the report made again."""
    faults.write_config(SINKS)
    status, out, said = faults.run_loop("steps=50", "fake=1", env=locale)
    done = subprocess.run([faults.COMMAND, "report", "--format", "html", "run.jsonl"], env=faults.environment(**locale), capture_output=True,
                          timeout=faults.PATIENCE)
    with open("again.html", "wb") as file:
        file.write(done.stdout)
    wrong = ["ended with %s" % faults.signal_name(status)] if status or done.returncode or faults.sanitized(said) else []
    if locale:
        wrong += ["the program has no decimal comma"] if "decimal ,\n" not in out else []
    return faults.tell(locale, wrong, said + done.stderr.decode()), written()


@row(24, short=1, full=10)
def decimal_comma(trials):
    """A program whose locale writes 0,5: every file is byte for byte what it is without."""
    locale, passed = locale_made(trials > 1), 0
    for _ in range(trials):
        fine, usual = run_under({})
        also_fine, files = run_under(locale)
        differing = [path for path in usual if usual[path] != files[path]]
        passed += fine and also_fine and faults.tell("decimal comma", ["other: " + path for path in differing], "")
    return trials, passed, "files that differ: %d" % (trials - passed)


# ---- a setuid program ----------------------------------------------------------------------------

SECURE = os.path.join(faults.BUILDDIR, "tests/secure")
FOREIGN = os.path.join(faults.BUILDDIR, "tests/plugins/.libs/crash_load.so")  # ends whatever loads it


def foreign_code():
    """A folder of nobody's with a plugin, and one that is named like a library of ours."""
    os.mkdir("foreign")
    for name in ("crash_load.so", "libstepwatch.so.1", "libyaml-0.so.2"):
        shutil.copyfile(FOREIGN, "foreign/" + name)
    for path in ["foreign"] + glob.glob("foreign/*"):
        os.chown(path, NOBODY, NOBODY)
    os.mkdir("foreign/.config")
    with open("foreign/stepwatch.yaml", "w") as file:
        file.write("logger_callback: crash_load\nplugin_path: %s\n" % os.path.abspath("foreign"))


# What its user set, and the folder that the program's own configuration names.
ATTACKS = [
    ({"LD_LIBRARY_PATH": "{foreign}", "LD_PRELOAD": "{foreign}/crash_load.so"}, None),
    ({"STEPWATCH_PLUGIN_PATH": "{foreign}"}, None),
    ({"STEPWATCH_PLUGIN_PATH": "foreign:.:"}, None),
    ({"STEPWATCH_CONFIG": "{foreign}/stepwatch.yaml", "HOME": "{foreign}", "XDG_CONFIG_HOME": "{foreign}"}, None),
    ({"STEPWATCH_SET": "plugin_path={foreign}"}, None),
    ({}, "foreign"),
    ({}, "{foreign}"),
    ({"FOLDER": "{foreign}"}, "${FOLDER:-/nowhere}"),
]


def attack(settings, plugin_path):
    """Whether nothing of the user's was run: it would have ended the program."""
    full = {key: value.format(foreign=os.path.abspath("foreign")) for key, value in settings.items()}
    yaml = "profiler: { show_report: false }\nlogger_callback: crash_load\n"
    if plugin_path:
        yaml += 'plugin_path: [ "%s" ]\n' % plugin_path.replace("{foreign}", os.path.abspath("foreign"))
    done = subprocess.run(["./secure", yaml], env=full, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True,
                          timeout=faults.PATIENCE)
    if done.returncode == 77:
        raise faults.Skip("the scratch folder allows no setuid programs")
    said = done.stdout.decode() + done.stderr.decode()
    wrong = ["ended with %s" % faults.signal_name(done.returncode)] if done.returncode or "opened" in said else []
    return faults.tell((settings, plugin_path), wrong, said)


@row(25, short=1, full=10)
def setuid(trials):
    """A setuid copy whose user sets LD_LIBRARY_PATH, plugin paths, configurations, HOME and relative folders."""
    if os.geteuid() != 0:
        raise faults.Skip("a setuid program can only be made by root")
    if faults.SANITIZER:
        raise faults.Skip("a sanitizer's library is not found by a setuid program")
    os.chmod(".", 0o755)
    foreign_code()
    shutil.copyfile(SECURE, "secure")
    os.chmod("secure", 0o4755)
    passed = sum(attack(*case) for _ in range(trials) for case in ATTACKS)
    return trials * len(ATTACKS), passed, "foreign code loaded: %d" % (trials * len(ATTACKS) - passed)


# ---- keys ----------------------------------------------------------------------------------------

def closed_port():
    """A port of this machine at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def home(key):
    """A home with the key in its netrc, and an environment that has it as well."""
    os.mkdir("home")
    with open("home/.netrc", "w") as file:
        file.write("machine 127.0.0.1\n  login user\n  password %s\n" % key)
    os.chmod("home/.netrc", 0o600)
    return {"HOME": os.path.abspath("home"), "WANDB_API_KEY": key, "MY_URL": "https://user:%s@127.0.0.1:1/" % key,
            "WANDB_BASE_URL": "http://127.0.0.1:%d" % closed_port(), **faults.OWN_FAULTS}


ALL = ["runlog: { path: run.jsonl }", "csv: { path: report.csv }", "markdown: { path: report.md }",
       "table: { path: table.txt, plain: true }", "tensorboard: { logdir: runs }"]
SETTINGS = [
    (ALL + ["wandb: { mode: offline }"], ()),
    (ALL + ["wandb: { mode: online }"], ()),
    (ALL + ["wandb: { mode: online }", "fickle: { crash: record, after: 20 }"], ()),
    (ALL + ["wandb: { mode: offline }", "fickle: { fail: record }"], ("end=abort",)),
    (ALL + ["wandb: { mode: online, base_url: \"${MY_URL}\" }"], ()),
    (ALL + ["wandb: { mode: nonsense, project: \"${MY_URL}\" }"], ()),
]
COMMANDS = [("check", "stepwatch.yaml"), ("check", "stepwatch.yaml", "--print"), ("check", "stepwatch.yaml", "--json"), ("sinks", "--json"),
            ("report", "run.jsonl"), ("report", "run.jsonl", "--format", "html"), ("report", "run.jsonl", "--json"),
            ("sync", "--dry-run"), ("sync", "--timeout", "1"), ("init", "--sinks", "wandb")]


def everything_said(arguments, environment):
    """What a run and the commands after it printed."""
    _, out, said = faults.run_loop("steps=50", *arguments, env=environment)
    text = out + said
    for command in COMMANDS:
        done = subprocess.run([faults.COMMAND, *command], env=faults.environment(**environment), capture_output=True,
                              timeout=faults.PATIENCE)
        text += (done.stdout + done.stderr).decode("utf-8", "replace")
    return text


def holding(key):
    """Files that hold it, but for the netrc that we wrote."""
    found = []
    for path in files():
        with open(path, "rb") as file:
            found += [path] if key.encode() in file.read() else []
    return found


def files():
    return [os.path.join(folder, name) for folder, _, names in os.walk(".") for name in names if name != ".netrc" and
            not os.path.islink(os.path.join(folder, name))]


def git_config(address):
    """A remote as git writes it, or as a person may: in quotes, with a comment, in a line that goes on, in a section of another form."""
    return random.choice(['[remote "origin"]\n\turl = %s\n', '[remote "origin"]\n\turl = "%s"\n', '[Remote "origin"] url=%s ; a comment\n',
                          '[remote "origin"]\n\turl = \\\n%s\n', '[remote.origin]\n\tURL = "%s" # a comment\n']) % address


@row(26, short=4, full=100)
def tokens(trials):
    """A token in the remote's address of a git repository, in quotes, with any scheme: the address arrives, the token does not."""
    faults.require_sinks("tensorboard", "wandb", "mlflow")
    passed = 0
    for _ in range(trials):
        faults.empty_folder()
        os.makedirs(".git/refs/heads")
        os.mkdir("home")
        key, place = chance.token_hex(20), chance.token_hex(10)
        user = random.choice(["%s", "me:%s", "%s:x-oauth-basic", "me:p@ss%s", "me:pa/ss%s"]) % key
        scheme = random.choice(["https", "HTTPS", "Http", "ssh", "git+https"])
        text = git_config("%s://%s@host.example/%s.git" % (scheme, user, place))
        with open(".git/HEAD", "w") as file:
            file.write("ref: refs/heads/main\n")
        with open(".git/config", "w") as file:
            file.write(text)
        faults.write_config(ALL + ["wandb: { mode: offline }", "mlflow: { mode: offline, dir: journal }"])
        status, out, said = faults.run_loop("steps=20", env={"HOME": os.path.abspath("home")})
        wrong = ["ended with %s" % faults.signal_name(status)] if status else []
        wrong += ["in " + path for path in holding(key) if not path.startswith("./.git/")] + (["said"] if key in out + said else [])
        kept = [path for path in holding(place) if not path.startswith("./.git/")]
        wrong += ["the address is only in %s" % kept] if not {"wandb", "journal"} <= {path.split("/")[1] for path in kept} else []
        passed += faults.tell(text, wrong, said)
    return trials, passed, "runs with a token: %d" % (trials - passed)


@row(26, short=2, full=60)
def secrets(trials):
    """A key in the environment, in netrc and in an address: looked for in every file and every word, also of a crash."""
    faults.require_sinks("tensorboard", "wandb")
    passed, swept, first = 0, 0, random.randrange(len(SETTINGS))
    for trial in range(trials):
        faults.empty_folder()
        sinks, arguments = SETTINGS[(first + trial) % len(SETTINGS)]
        key = chance.token_hex(20)
        environment = home(key)
        faults.write_config(sinks, ", close_timeout: 1s", plugin_path=faults.FICKLE)
        said = everything_said(arguments, environment)
        found = holding(key) + (["what was said"] if key in said else [])
        swept += len(files())
        passed += faults.tell(sinks[-1], ["in " + path for path in found], said)
    return trials, passed, "hits: %d in %s files and all that was said" % (trials - passed, format(swept, ","))
