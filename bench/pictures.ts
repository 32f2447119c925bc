import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programHome, spawnSluice } from '../test/support/spawn-program.ts'
import { screen } from './pictures/screen.ts'
import { type Picture, pictures } from './pictures/shown.ts'
import { svg } from './pictures/svg.ts'

// Makes the pictures of the documents, each with its own home directory and chains. Arguments are names of pictures; without one, all.
const folder = join(import.meta.dirname, '..', 'docs', 'pictures')
const wanted = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
for (const picture of pictures)
  if (wanted.length === 0 || wanted.includes(picture.name)) {
    const path = join(folder, `${picture.name}.svg`)
    writeFileSync(path, await taken(picture))
    console.log(path)
  }

async function taken({ before, lines, until, alt }: Picture): Promise<string> {
  const { home, end } = programHome()
  try {
    for (const line of before) {
      const { exit, err } = await spawnSluice(home, line.split(' '))
      if (exit !== 0 && exit !== 20) throw new Error(`sluice ${line} ended with ${exit}: ${err}`)
    }
    const shown = screen(home)
    const stood = []
    for (const line of lines) stood.push(await shown.type(line, line === lines.at(-1) ? until : undefined))
    return svg(stood.at(-1)!, lines.map((line) => `sluice ${line}`).join(', '), alt)
  } finally {
    await end()
  }
}
