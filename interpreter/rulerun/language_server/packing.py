"""The extension for VS Code, packed: what `code --install-extension` takes.

Assumes the folder `vscode` beside this module, and the words that start rulerun here.
Does: puts both into a `.vsix`, which is a zip archive with a manifest. Its bytes depend on nothing
but what is in it.
Leaves behind: the bytes. The extension starts `rulerun lsp` by these words.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from importlib import resources
from xml.sax.saxutils import escape, quoteattr

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""When each file is said to be written: the first day that an archive knows."""

_TYPES = """\
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\
<Default Extension=".json" ContentType="application/json"/>\
<Default Extension=".js" ContentType="application/javascript"/>\
<Default Extension=".vsixmanifest" ContentType="text/xml"/>\
</Types>
"""

_MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={id} Version={version} Publisher={publisher}/>
    <DisplayName>{title}</DisplayName>
    <Description xml:space="preserve">{about}</Description>
    <Categories>{categories}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" \
Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def packed(version: str, command: Sequence[str]) -> bytes:
    """The extension as one file; `command` starts rulerun."""
    folder = resources.files("rulerun.language_server") / "vscode"
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    package["version"] = version
    manifest = _MANIFEST.format(
        id=quoteattr(package["name"]),
        version=quoteattr(version),
        publisher=quoteattr(package["publisher"]),
        title=escape(package["displayName"]),
        about=escape(package["description"]),
        categories=escape(",".join(package["categories"])),
        engine=quoteattr(package["engines"]["vscode"]),
    )
    files = {
        "[Content_Types].xml": _TYPES,
        "extension.vsixmanifest": manifest,
        "extension/package.json": json.dumps(package, indent=2) + "\n",
        "extension/command.json": json.dumps(list(command)) + "\n",
        "extension/extension.js": (folder / "extension.js").read_text(encoding="utf-8"),
    }
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), text, zipfile.ZIP_DEFLATED)
    return held.getvalue()
