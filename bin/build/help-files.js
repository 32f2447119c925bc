// The manifests and help pages of the commands, as files of the build.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Returns the files. They come from the commands of the sources. */
export async function helpFiles(root) {
  const source = join(root, 'src', 'app', 'help-and-completion-manifests.ts')
  const { commandManifests, helpPages } = await import(pathToFileURL(source))
  const manifests = await commandManifests()
  return [
    { fileName: 'command-manifests', code: manifests },
    { fileName: 'help-pages', code: helpPages(manifests) },
  ]
}
