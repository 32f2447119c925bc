import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { signerProcessService } from '../../../src/app/signing/signer-process.ts'

test('the signer process exits silently with code 0 when its output pipe is closed', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-signer-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const path = join(import.meta.dirname, '../../../src/app/signer-process-main.ts')
  const child = spawn(process.execPath, [path], { env: { HOME: home }, stdio: 'pipe' })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  child.stdout.destroy()
  // Its stdin stays open: only the closed output pipe ends it.
  child.stdin.write(`${JSON.stringify({ argv: ['deposit'], privateKey: null, quiet: true })}\n`)
  child.stdin.write(`${JSON.stringify({ id: 1, ask: { kind: 'nothing' } })}\n`)
  expect((await once(child, 'exit'))[0]).toBe(0)
  expect(said).toBe('')
})

test.each([
  ['SIGINT', 'INTERRUPTED'],
  ['SIGTERM', 'INTERRUPTED'],
  ['SIGHUP', 'INTERRUPTED'],
  ['SIGKILL', 'KEY_SOURCE'],
] as const)('a signer process ended by %s at start rejects requests with %s', async (signal, code) => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'pipe' })
  const desk = signerProcessService(child)
  const asked = desk({ do: 'open', source: { kind: 'environment' } })
  child.kill(signal)
  await expect(asked).rejects.toMatchObject({ code })
  await expect(desk({ do: 'open', source: { kind: 'environment' } })).rejects.toMatchObject({ code })
})

test('a broken pipe is reported by the signal that ended the signer process', async () => {
  const program = "require('node:fs').closeSync(0); console.log(); setInterval(() => 0, 1000)"
  const child = spawn(process.execPath, ['-e', program], { stdio: 'pipe' })
  await once(child.stdout, 'data')
  const asked = signerProcessService(child)({ do: 'open', source: { kind: 'environment' } })
  await once(child.stdin, 'error')
  child.kill('SIGINT')
  await expect(asked).rejects.toMatchObject({ code: 'INTERRUPTED' })
})
