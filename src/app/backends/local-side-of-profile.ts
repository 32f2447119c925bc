import { join } from 'node:path'
import type { ChainClient } from '../../chain/chain-client.ts'
import type { Backend } from '../../cli/backend-types.ts'
import { AppError } from '../../domain/errors.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { once } from '../once.ts'
import { machinePolicy } from '../profiles/machine-policy.ts'
import type { BackendInputs } from './backend-input-types.ts'
import { displayPrices } from './display-prices.ts'
import { servicesOf } from './services-with-keys.ts'

/** Builds the wallet side of a profile, which is always on this machine; `otherwise` returns the default signer. */
export function localWallet(
  needs: BackendInputs,
  opened: () => Promise<{ catalog: Catalog; rpc: (chainId: number) => ChainClient }>,
  otherwise: () => Promise<SignerIdentity> = noSigner,
): Pick<Backend, 'catalog' | 'context' | 'prices' | 'signerIdentity' | 'read'> {
  const { dirs, env, settings, secrets, signingService, stdin, io, globals, now, keep } = needs
  const journal = once(async () =>
    keep((await import('../../store/journal/journal.ts')).openJournal(join(dirs.data, 'journal.db'), now)),
  )
  return {
    catalog: async () => (await opened()).catalog,
    context: async () => ({
      ...(await opened()),
      journal: await journal(),
      locks: join(dirs.data, 'locks'),
      now,
      policy: machinePolicy(dirs),
      services: await servicesOf(needs),
    }),
    prices: displayPrices(opened),
    signerIdentity: async (choice) => {
      const { chooseSigner: whoSigns } = await import('../signing/signer-choice.ts')
      return whoSigns(choice, {
        env,
        keystores: join(dirs.data, 'keystores'),
        settings,
        secrets,
        signingService,
        stdin,
        io,
        globals,
        otherwise,
      })
    },
    read: async (chainId, method, params) => (await opened()).rpc(chainId).request(method, params),
  }
}

async function noSigner(): Promise<never> {
  throw new AppError('KEY_REQUIRED', 'No signer given', { details: { named: false } })
}
