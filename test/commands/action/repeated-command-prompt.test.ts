import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Cli } from '../../../src/cli/command-run-types.ts'
import { confirmRepeat } from '../../../src/cli/signing-flow/refuse-duplicates.ts'
import type { Address } from '../../../src/domain/address.ts'
import { adviceText } from '../../../src/domain/text/next-step.ts'
import type { ExecutionContext } from '../../../src/planning/execution-context-types.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const transfer = (amount: number, ...more: string[]) =>
  run([
    ...`transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json`.split(
      ' ',
    ),
    ...more,
  ])
const begun = async () => {
  const sent = await transfer(5, '--no-wait')
  expect(sent).toMatchObject({ exit: 20 })
  return sent.json.error.details.id as string
}

/** A terminal without an answer: the prompt becomes an error. */
const terminal = (later = 0) =>
  ({
    io: { canAsk: true },
    globals: { yes: false, input: false },
    program: { now: () => Date.now() + later },
    line: adviceText,
  }) as unknown as Cli
const journal = () => openJournal(join(home(), 'data', 'sandbox', 'journal.db'), Date.now)

test('confirmRepeat prompts for an open action at any time, and for a completed action within a day', async () => {
  const id = await begun()
  const ground = { journal: journal() } as ExecutionContext
  const request = ground.journal.find(id)!.request as { wallet: Address }
  await expect(confirmRepeat(terminal(86_400_000), ground, request)).rejects.toMatchObject({
    code: 'PROMPT_NEEDED',
    message: expect.stringContaining(`sluice action resume ${id}`),
  })
  await confirmRepeat(terminal(), ground, { ...request, wallet: friend as Address })
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
  await expect(confirmRepeat(terminal(), ground, request)).rejects.toMatchObject({
    message: expect.stringMatching(/completed .* Do it again/),
  })
  await confirmRepeat(terminal(86_400_000), ground, request)
})

test('without a prompt a repeat warns with the command that resumes the open action', async () => {
  const id = await begun()
  expect((await transfer(4, '--no-wait')).err).not.toContain(id)
  const again = await transfer(5)
  expect(again.err).toContain(`sluice action resume ${id}`)
  expect(again.exit).toBe(0)
})
