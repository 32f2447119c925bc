// Whether `dist` is what `src` says today. For Nodes that are new enough for us; older ones only have to parse it.

/** A file as it was when it was built: `path<TAB>size<TAB>time`; with the path alone, one that is not there. */
export function mark(root, path) {
  const found = fs().statSync(`${root}/${path}`, { throwIfNoEntry: false })
  return found ? `${path}\t${found.size}\t${found.mtimeMs}` : path
}

/** Whether every file that the build was made of is as it was then. Without its sources, as in a package, a build is what it is. */
export function isCurrent(root) {
  let stamp
  try {
    stamp = fs().readFileSync(`${root}/dist/stamp`, 'utf8')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return false
  }
  return stamp.split('\n').every((line) => mark(root, line.slice(0, line.indexOf('\t'))) === line)
}

// An import of it would load all that its exports may ever need.
const fs = () => process.getBuiltinModule('node:fs')
