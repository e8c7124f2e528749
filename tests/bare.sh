#!/usr/bin/env bash
# Whether the project depends on what a machine happens to have: quick tests, one page at smoke and one
# notebook, once in each of the environments below, each in a clone of its own; the book in those of
# BOOK, which can matter to it.
#
#     tests/bare.sh [NAME...]      all of them, or those with these names; make bare ONLY="NAME..."
#
# PYTHON has the project's packages, .venv/bin/python by default. It ends with one line for each
# environment, and is red if any is.
set -uo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL MFLAGS  # of the make that calls this, which tests of make would show
project=$PWD
export PYTHON=${PYTHON:-$project/.venv/bin/python} OMP_NUM_THREADS=1
folder=$(mktemp -d)
loads=()
trap 'kill "${loads[@]}" 2> /dev/null; rm -rf "$folder"' EXIT
fonts=$("$PYTHON" -c 'import matplotlib; print(matplotlib.get_data_path())')/fonts/ttf

ALL="one_font plain_c german time_zone no_home umask_077 spaced_tmp odd_path archive shallow crlf
     ordinary_user no_chromium no_git hash_seeds under_load"
BOOK=${BOOK-one_font german odd_path archive ordinary_user}

# What is run in each, from the root of a clone.
cat > "$folder/quick" <<'END'
set -e
export PYTHONPATH=$PWD
pytest=("$PYTHON" -m pytest -q -p no:cacheprovider)
"${pytest[@]}" tests/test_files.py tests/test_checkout.py tests/test_makefile.py \
  tests/claimbook/claims/test_claim.py tests/claimbook/records/test_records.py \
  tests/claimbook/commands/test_quick_answers.py tests/test_rounding.py tests/tasks/test_laws.py
"$PYTHON" -m claimbook run causal_lm/propositions --profile smoke
"${pytest[@]}" --nbval --nbval-current-env --nbval-sanitize-with notebooks/nbval.cfg \
  notebooks/causal_lm/propositions.ipynb
if [ -n "$WITH_BOOK" ]; then
  "${pytest[@]}" tests/test_book.py -k "front_page or every_link or every_mention or light"
fi
END

clone() { git clone -q "$@" "file://$project" "$where"; }
quick() { (cd "$where" && env "$@" bash "$folder/quick"); }

# A folder of programs, all that are on PATH but those whose names begin so.
without() {
  mkdir "$where/bin"
  local place
  while read -rd : place; do ln -sf "$place"/* "$where/bin"; done <<< "$PATH:"
  rm -f "$where"/bin/$1*
}

one_font() {
  clone && mkdir "$where/font" && cp "$fonts/DejaVuSans.ttf" "$where/font" &&
    echo "<fontconfig><dir>$where/font</dir><cachedir>$where/font</cachedir></fontconfig>" \
      > "$where/font/fonts.conf" && quick FONTCONFIG_FILE="$where/font/fonts.conf"
}
# Python takes UTF-8 in this locale of its own; then without that.
plain_c() { clone && quick LC_ALL=C && quick LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0; }
german() {
  local has
  has=$(locale -a 2> /dev/null | grep -i '^de_DE.utf-\?8')
  if [ -z "$has" ]; then
    mkdir "$folder/locales"
    localedef -i de_DE -f UTF-8 "$folder/locales/de_DE.UTF-8" 2> /dev/null || return 77
    export LOCPATH=$folder/locales
  fi
  clone && quick LC_ALL=de_DE.UTF-8
}
time_zone() { clone && quick TZ=Pacific/Chatham; }
no_home() { clone && quick -u HOME && quick HOME=/dev/null/none; }
umask_077() { (umask 077 && clone && quick); }
spaced_tmp() { clone && mkdir "$where/a tmp" && quick TMPDIR="$where/a tmp"; }
odd_path() { where="$where/über all"; mkdir -p "${where%/*}" && clone && quick; }
archive() { mkdir "$where" && git archive HEAD | tar x -C "$where" && quick; }
shallow() { clone --depth 1 && quick; }
crlf() { clone -c core.autocrlf=true && quick; }
# One that may read every file, such as a Python below /root, and write only to its own.
ordinary_user() {
  clone && mkdir "$where/home" && chown -R nobody "$where" && chmod a+rx "$folder" &&
    (cd "$where" && setpriv --reuid nobody --regid nogroup --clear-groups \
      --inh-caps +dac_read_search --ambient-caps +dac_read_search \
      env HOME="$where/home" bash "$folder/quick")
}
no_chromium() { clone && without "*chrom" && quick PATH="$where/bin"; }
no_git() { clone && without git && quick PATH="$where/bin"; }
hash_seeds() { clone && quick PYTHONHASHSEED=1 && quick PYTHONHASHSEED=4242; }
under_load() {
  for _ in $(seq $(($(nproc) + 1))); do (while :; do :; done) & loads+=($!); done
  clone && quick
  local code=$?
  kill "${loads[@]}"; loads=()
  return $code
}

told=; red=0
for name in ${@:-$ALL}; do
  where=$folder/$name
  export WITH_BOOK=$([[ " $BOOK " == *" $name "* ]] && echo yes)
  echo "---- $name"
  start=$SECONDS
  (trap - EXIT; $name); code=$?
  case $code in
    0) how=passed ;;
    77) how="skipped, the locale is not there and cannot be made" ;;
    *) how=FAILED; red=1 ;;
  esac
  told+="$name: $how${WITH_BOOK:+, with the book}, $((SECONDS - start)) s"$'\n'
  rm -rf "${folder:?}/$name"
done
printf '%s' "$told"
exit $red
