import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textIn, textOf } from '../../../src/cli/options/file-arguments.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const stdin = async () => 'of standard input'
const tooLarge = { code: 'USAGE', message: expect.stringMatching(/ is larger than 32 MiB$/) }

async function* pieces(size: number, count: number) {
  for (let at = 0; at < count; at++) yield Buffer.alloc(size, 'y\n')
}

test('a file is read whole with characters across chunk boundaries, and a directory is refused', async () => {
  const path = join(home(), 'large')
  const text = 'x€'.repeat(100_000)
  writeFileSync(path, text)
  expect(await textOf(path, { stdin })).toBe(text)
  expect(await textOf('-', { stdin })).toBe('of standard input')
  const why = (file: string) => textOf(file, { stdin }).catch(({ code, message }) => `${code} ${message}`)
  expect(await why(home())).toBe(`USAGE Cannot read ${home()}: it is a directory`)
  expect(await why('nothing.json')).toBe('USAGE Cannot read nothing.json: it does not exist')
})

test('input larger than 32 MiB is refused, also when it never ends', async () => {
  await expect(textIn(pieces(1 << 20, Number.POSITIVE_INFINITY), 'It')).rejects.toMatchObject(tooLarge)
  expect((await textIn(pieces(1 << 20, 32), 'It')).length).toBe(32 << 20)
  for (const line of ['action verify', 'action submit --yes'])
    expect((await run(`${line} /dev/zero --json`)).json.error).toMatchObject(tooLarge)
})
