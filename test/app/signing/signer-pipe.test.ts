import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signerProcessService } from '../../../src/app/signing/signer-process.ts'

// The real signer process and its pipe.

test.each(['\u2028', '\u2029', '\n', '\u{e0041}'])(
  'a key file path with %j passes through the signer pipe and back unchanged',
  async (character) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../../src/app/signer-process-main.ts')],
      {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: {},
      },
    )
    try {
      child.stdin.write(`${JSON.stringify({ argv: ['deposit', 'x'], privateKey: null, quiet: true })}\n`)
      const desk = signerProcessService(child)
      const path = `/nowhere/key${character}file`
      for (let again = 0; again < 2; again++)
        await expect(desk({ do: 'open', source: { kind: 'key-file', path } })).rejects.toMatchObject({
          code: 'KEY_SOURCE',
          message: expect.stringContaining(path),
        })
    } finally {
      child.kill()
    }
  },
)
