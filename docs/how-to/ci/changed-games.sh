#!/usr/bin/env bash
# What a branch changes in the games, as Markdown: changed-games.sh BASE [PATH…]
#
# BASE is a commit or branch to compare with. Every rules file that git has in the paths (left out:
# rulesets) is compared with the one where the branch began; the same game is not mentioned. The
# exit code is 0 whatever changed, and 2 where git does not have BASE.
set -euo pipefail

base=${1:?"write changed-games.sh BASE [PATH…]"}
shift
[ $# -gt 0 ] || set -- rulesets

git rev-parse --verify --quiet "$base^{commit}" >/dev/null || {
  echo "changed-games.sh: git does not have $base here; fetch it first (fetch-depth: 0)" >&2
  exit 2
}
before=$(git merge-base "$base" HEAD)

quiet=1
# say FORMAT WORD…: as printf, behind an empty line.
say() {
  [ -n "$quiet" ] || echo
  # shellcheck disable=SC2059 # the format is ours
  printf "$@"
  quiet=
}

while IFS= read -r -d '' file; do
  case $file in *.yaml | *.yml) ;; *) continue ;; esac
  grep -q '^rulerun *:' -- "$file" 2>/dev/null || continue
  name=${file//\`/}
  if ! git cat-file -e "$before:./$file" 2>/dev/null; then
    # shellcheck disable=SC2016 # backticks are Markdown's
    say '### `%s` is new\n' "$name"
    continue
  fi
  code=0
  text=$(rulerun diff --format md "$before" -- "$file") || code=$?
  # shellcheck disable=SC2016
  case $code in
    0) ;;
    1) say '%s\n' "$text" ;;
    # Whether the file of now is right says `rulerun validate`.
    *) say '### `%s`: what changes cannot be told\n' "$name" ;;
  esac
done < <(git ls-files -z -- "$@")

while IFS= read -r -d '' file; do
  case $file in *.yaml | *.yml) ;; *) continue ;; esac
  git cat-file blob "$before:./$file" | grep -c '^rulerun *:' >/dev/null || continue
  # shellcheck disable=SC2016
  say '### `%s` is gone\n' "${file//\`/}"
done < <(git diff --name-only --no-renames --diff-filter=D --relative -z "$before" -- "$@")

[ -z "$quiet" ] || echo 'Every game is the same as before.'
