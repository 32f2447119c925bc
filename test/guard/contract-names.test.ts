import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wholeCatalog } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { publicNetworks, rpcVariable } from '../../src/domain/networks.ts'
import { contractName } from '../../src/guard/contract-names.ts'
import { calldataRulesOf, queueOf } from '../../src/protocols/registry.ts'
import { cctpV2Contracts } from '../../src/swaps/cctp-v2/constants-schema.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { swapCallees, swapSpenders } from '../../src/swaps/swap-provider-registry.ts'

test('every contract of the catalogue that a step can call has a name in its preview', async () => {
  const home = join(tmpdir(), 'sluice-none')
  const rpcs = Object.fromEntries(publicNetworks.map((one) => [rpcVariable(one), 'http://127.0.0.1:9']))
  const catalog = await wholeCatalog({ config: home, cache: home, data: home } as never, rpcs)
  const called = [
    ...catalog.strategies.flatMap((entry) => [
      ...calldataRulesOf(entry).targets.map((to) => ({ of: entry.slug, chainId: entry.chainId, to })),
      ...[queueOf(entry)].flatMap((queue) =>
        [queue?.place, queue?.lapses?.takeBack.to].flatMap((to) =>
          to === undefined ? [] : [{ of: `queue of ${entry.slug}`, chainId: entry.chainId, to }],
        ),
      ),
    ]),
    ...catalog.networks.flatMap(({ chainId }) => [
      ...swapSpenders(catalog, chainId).map(({ spender: to, name: of }) => ({ of, chainId, to })),
      ...swapCallees(catalog, chainId).map(({ callee: to, name: of }) => ({ of, chainId, to })),
    ]),
    ...contractsIn(catalog, cctpV2Contracts).map(({ chainId, messageTransmitter: to }) => ({
      of: 'delivery',
      chainId,
      to,
    })),
  ]
  expect(called.length).toBeGreaterThan(500)
  const nameless = called.filter(({ chainId, to }) => contractName(catalog, chainId, to) === null)
  expect(nameless).toEqual([])
})
