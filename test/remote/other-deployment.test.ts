import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { engineOn } from '../engine/support.ts'
import { type Known, reference, type Variant } from '../support/other-answers.ts'
import { type OtherDeployment, startOtherDeployment } from '../support/other-deployment.ts'
import { type Document, type Ran, rpcEnvOf, useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'
const id = '0f8fad5b-d9cb-469f-a165-70867728950e'

let known: Known
let other: OtherDeployment
beforeEach(async () => {
  const token = (symbol: string) => {
    const { address, decimals, chainId } = sandbox.token(31337, symbol)
    return { symbol, contract: address, decimals, chainId }
  }
  const { address } = sandbox.user
  const { bytecode } = await engineOn(sandbox).service.strategyBytecode({
    id: slug,
    action: 'lend',
    amount: 100_000_000n,
    wallet: address,
  })
  known = {
    wallet: address,
    network: 'sandbox-one',
    tokenIn: token('USDC'),
    tokenOut: token('WETH'),
    slug,
    protocol: 'aave-v3',
    calls: bytecode.map(({ to, data, value }) => ({ to, data, value: value.toString() })),
  }
  other = await startOtherDeployment(known)
})
afterEach(() => other.close())

const ask = (line: string, env: Record<string, string> = {}): Promise<Ran> =>
  run(line, {
    env: { SLUICE_BASE_URL: other.url, ...rpcEnvOf(sandbox), ...env },
    secrets: { apiKey: 'key-12345', privateKey: sandboxKey() },
  })

/** The document of a command under a variant, which must have gone well. */
async function read(
  line: string,
  variant: Partial<Variant>,
  env: Record<string, string> = {},
): Promise<Document> {
  other.variant = { ...reference, ...variant }
  const ran = await ask(`${line} --json`, env)
  expect({ line, variant, exit: ran.exit, err: ran.err }).toMatchObject({ exit: 0 })
  return ran.json
}

const lines = () => ({
  list: 'strategies list',
  show: `strategies show ${slug}`,
  analytics: 'strategies analytics',
  recommend: 'yield recommend USDC',
  full: `yield recommend USDC --wallet ${known.wallet} --amount 100`,
  wallet: `wallet show ${known.wallet}`,
  history: `history ${slug} --address ${known.wallet}`,
  quote: 'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100',
  status: `swap status ${id}`,
  quotes: 'swap list',
  action: `action show ${id}`,
})
type Line = keyof ReturnType<typeof lines>
const every = Object.keys({
  list: 0,
  show: 0,
  analytics: 0,
  recommend: 0,
  full: 0,
  wallet: 0,
  history: 0,
  quote: 0,
  status: 0,
  quotes: 0,
  action: 0,
} satisfies Record<Line, 0>) as Line[]

describe('what a deployment may choose changes nothing of what a command says:', () => {
  test.each<[Partial<Variant>]>([
    [{ envelope: 'quickstart' }],
    [{ envelope: 'older' }],
    [{ envelope: 'flat' }],
    [{ casing: 'upper' }],
    [{ casing: 'title' }],
    [{ chainId: 'text' }],
    [{ deadline: 'iso' }],
    [{ deadline: 'date alone' }],
    [{ quote: 'bare' }],
    [{ placeholder: 'object' }],
  ])('%j', async (variant) => {
    for (const name of every) {
      const line = lines()[name]
      expect(await read(line, variant)).toEqual(await read(line, {}))
    }
  })
})
