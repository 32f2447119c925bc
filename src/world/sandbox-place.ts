import { join } from 'node:path'

import type { Place, Sandbox } from '../cli/world.ts'
import type { Catalog } from '../domain/catalog.ts'
import { AppError } from '../domain/errors.ts'
import type { Rpc } from '../net/rpc.ts'
import { sandboxAccountAddress } from '../sandbox/public-account.ts'
import { deskSigner } from '../wallet/signing/account.ts'
import { once } from './once.ts'
import type { PlaceNeeds } from './place-needs.ts'
import { traced } from './traced.ts'

/** How commands reach the embedded chains: the administration of them, and what the engine needs to know of them. */
export type OpenSandbox = {
  admin: Sandbox
  open: () => Promise<{ catalog: Catalog; chains: readonly { chainId: number; rpcUrl: string }[] }>
}

type Needs = PlaceNeeds & {
  sandbox: OpenSandbox
  /** Nobody named a profile: say once that it is the sandbox. */
  announce: boolean
}

/** The sandbox profile: the embedded engine over the embedded chains. */
export function sandboxPlace({
  dirs,
  settings,
  secrets,
  desk,
  io,
  globals,
  sandbox,
  announce,
  now,
  newId,
}: Needs): Place {
  const dir = join(dirs.data, 'sandbox')
  const opened = once(async () => {
    if (announce && !globals.quiet)
      io.err.write(io.err.paint.dim('profile sandbox: local chains, play money\n'))
    const { catalog, chains } = await sandbox.open()
    const { httpRpc } = await import('../net/rpc.ts')
    const byChain = new Map(
      chains.map(({ chainId, rpcUrl }) => [chainId, traced(httpRpc(rpcUrl), globals.debug ? io : undefined)]),
    )
    const rpc = (chainId: number): Rpc => {
      const found = byChain.get(chainId)
      if (!found) throw new AppError('SANDBOX_UNAVAILABLE', `The sandbox has no chain ${chainId}`)
      return found
    }
    const { openState } = await import('./sandbox-state.ts')
    const state = await openState(dir, [...byChain.keys()], rpc, now)
    if (state.setAside && !globals.quiet)
      io.err.write(
        `The sandbox is not the one that these actions were made on; they are kept in ${state.setAside}\n`,
      )
    return { catalog, rpc, ...state }
  })
  return {
    profile: 'sandbox',
    kind: 'sandbox',
    reference: undefined,
    catalog: async () => (await opened()).catalog,
    service: once(async () => {
      const { catalog, rpc, store } = await opened()
      const { createEngine } = await import('../engine/engine.ts')
      return createEngine({ catalog, rpc, store, customer: 'local', now, newId })
    }),
    ground: async () => {
      const { catalog, rpc, journal } = await opened()
      return { catalog, rpc, journal, locks: join(dir, 'locks'), now }
    },
    who: async (choice) => {
      const { whoSigns } = await import('./signer.ts')
      return whoSigns(choice, {
        keystores: join(dirs.data, 'keystores'),
        settings,
        secrets,
        desk,
        io,
        globals,
        otherwise: async () => ({
          address: sandboxAccountAddress,
          label: 'sandbox account',
          source: 'sandbox',
          unlock: async () => deskSigner(await desk(), { kind: 'sandbox' }),
        }),
      })
    },
    read: async (chainId, method, params) => (await opened()).rpc(chainId).request(method, params),
  }
}
