#!/bin/sh
# Makes report and tables again with fairviz {{ version }}: sh reproduce.sh [FOLDER]
# FOLDER is where the files of data.sha256 are (default: {{ "the example of fairviz" if shipped else "where you are" }}).
# Results go to the folder "reproduced" beside this script, under the names that they have here.
set -e
CDPATH=
here=$(cd -- "$(dirname -- "$0")" && pwd)
in_a_folder_above() { # the commands of a virtual environment, as `make app` leaves them in the folder of fairviz
    folder=$1
    until [ -x "$folder/.venv/bin/fairviz" ]; do
        if [ "$folder" = / ]; then return 1; fi
        folder=$(dirname -- "$folder")
    done
    echo "$folder/.venv/bin"
}
if ! command -v fairviz > /dev/null; then
    if ! bin=$(in_a_folder_above "$PWD" || in_a_folder_above "$here"); then
        echo "there is no fairviz on PATH: try PATH=/the/folder/of/fairviz/.venv/bin:\$PATH sh $0" >&2
        exit 1
    fi
    PATH=$bin:$PATH
    export PATH
fi
data=$(cd -- "${1:-{{ shipped_folder if shipped else "$PWD" }}}" && pwd)
out=$here/reproduced
mkdir -p -- "$out"
cd -- "$out"
link() { # a file of the data, under the name that the commands have for it
    mkdir -p -- "$(dirname -- "$1")"
    if [ -e "$data/$1" ]; then ln -sf -- "$data/$1" "$1"; fi
}
{% for file in read %}
link {{ file.path | quote }}
{% endfor %}

if command -v sha256sum > /dev/null && ! sha256sum -c --quiet -- "$here/data.sha256"; then
    echo "some files are not those of the bundle: what is made of them differs"
fi

# report.html and every file of tables/
{{ command }} \
    --format bundle --output bundle.zip
python3 -m zipfile -e bundle.zip .
{% if printed %}

# pinned tables
mkdir -p -- pinned
sh -e "$here"/pinned/commands.sh
{% endif %}
{% if pinned %}

# Pinned tables are what a page of the dashboard shows with these settings in its address:
{% for each in pinned %}
#   pinned/{{ each.stem }}: {{ each.shown }}
{% endfor %}
{% endif %}

cd -- "$here"  # figures are left out: another browser draws them otherwise
same=0
differ=0
for file in report.html tables/*{% for file in printed %} {{ file | quote }}{% endfor %}; do
    if [ ! -e "$file" ]; then
        continue
    elif cmp -s -- "$file" "reproduced/$file"; then
        same=$((same + 1))
    else
        differ=$((differ + 1))
        echo "differs: $file"
    fi
done
echo "$same files are the same, $differ differ"
