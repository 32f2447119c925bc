import { createRequire } from 'node:module'
import type {
  DeviceActionIntermediateValue,
  DmkError,
  ExecuteDeviceActionReturnType,
} from '@ledgerhq/device-management-kit'
import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { installCommand } from '../../store/companion-package.ts'

/** A connected device. Its errors are thrown as the library makes them. */
export type LedgerSession = {
  app: () => Promise<{ name: string; version: string }>
  /** Whether the open Ethereum app signs data that it cannot display. */
  signsBlindly: () => Promise<boolean>
  address: (path: string) => Promise<string>
  sign: (path: string, bytes: Uint8Array) => Promise<{ r: string; s: string; v: number }>
}

/** Connects the device for one piece of work and releases it afterwards. */
export type LedgerKit = { connected: <T>(work: (session: LedgerSession) => Promise<T>) => Promise<T> }

const load = createRequire(import.meta.url)

/**
 * Loads the Ledger packages, which may be missing: by USB, or the emulator Speculos on this machine. It contacts only the device:
 * without this context module the library would look up the signed data on the network.
 */
export function ledgerKit(emulator: string | null): LedgerKit {
  if (emulator !== null) refuseRemote(emulator)
  const { kit, ethereum, context, rx, transport } = packages(emulator)
  const manager = new kit.DeviceManagementKitBuilder().addTransport(transport).build()
  const alone = () =>
    new context.ContextModuleBuilder({})
      .setChain(context.ContextModuleChainID.Ethereum)
      .removeDefaultLoaders()
      .setBlindSigningReporter({ report: async () => ({ isRight: () => true }) as never })
      .build()
  const ended = <Output, Failure extends DmkError, Value extends DeviceActionIntermediateValue>({
    observable,
  }: ExecuteDeviceActionReturnType<Output, Failure, Value>): Promise<Output> =>
    new Promise((done, failed) => {
      observable.subscribe({
        next: (state) => {
          if (state.status === kit.DeviceActionStatus.Completed) done(state.output)
          if (state.status === kit.DeviceActionStatus.Error) failed(state.error)
        },
        error: failed,
      })
    })
  return {
    connected: async (work) => {
      const device = await rx.firstValueFrom(manager.startDiscovering({}))
      const sessionId = await manager.connect({
        device,
        sessionRefresherOptions: { isRefresherDisabled: true },
      })
      const signer = new ethereum.SignerEthBuilder({ dmk: manager, sessionId })
        .withContextModule(alone())
        .build()
      const bare = (path: string) => path.replace(/^m\//, '')
      try {
        return await work({
          app: async () => {
            const said = await manager.sendCommand({ sessionId, command: new kit.GetAppAndVersionCommand() })
            if (!kit.isSuccessCommandResult(said)) throw said.error
            return said.data
          },
          signsBlindly: async () => {
            const apdu = Uint8Array.from([0xe0, 0x06, 0x00, 0x00, 0x00])
            const { data } = await manager.sendApdu({ sessionId, apdu })
            return ((data[0] ?? 0) & 1) === 1
          },
          address: async (path) => {
            const options = { checkOnDevice: false, skipOpenApp: true }
            return (await ended(signer.getAddress(bare(path), options))).address
          },
          sign: (path, bytes) => ended(signer.signTransaction(bare(path), bytes, { skipOpenApp: true })),
        })
      } finally {
        // A device that is gone needs no disconnect.
        await manager.disconnect({ sessionId }).catch(() => undefined)
      }
    },
  }
}

function packages(emulator: string | null) {
  try {
    return {
      kit: load('@ledgerhq/device-management-kit') as typeof import('@ledgerhq/device-management-kit'),
      ethereum: load(
        '@ledgerhq/device-signer-kit-ethereum',
      ) as typeof import('@ledgerhq/device-signer-kit-ethereum'),
      context: load('@ledgerhq/context-module') as typeof import('@ledgerhq/context-module'),
      rx: load('rxjs') as typeof import('rxjs'),
      transport:
        emulator === null
          ? (
              load(
                '@ledgerhq/device-transport-kit-node-hid',
              ) as typeof import('@ledgerhq/device-transport-kit-node-hid')
            ).nodeHidTransportFactory
          : (
              load(
                '@ledgerhq/device-transport-kit-speculos',
              ) as typeof import('@ledgerhq/device-transport-kit-speculos')
            ).speculosTransportFactory(emulator, true),
    }
  } catch (cause) {
    throw loadFailureText(cause)
  }
}

/** The error for packages that cannot be loaded: not installed, or missing system libraries. */
export function loadFailureText(cause: unknown): AppError {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'MODULE_NOT_FOUND')
    return new AppError('KEY_SOURCE', 'The USB packages that speak to a Ledger are not installed', {
      cause,
      next: installCommand('ledger'),
    })
  return new AppError(
    'KEY_SOURCE',
    `USB cannot be used here: ${sanitizeText(message.split('\n')[0] ?? '')}`,
    {
      cause,
      next: 'On Linux: sudo apt-get install libusb-1.0-0 libudev1',
    },
  )
}

function refuseRemote(url: string): void {
  const { protocol, hostname } = URL.parse(url) ?? {}
  if (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname ?? '')) return
  throw new AppError(
    'CONFIG_INVALID',
    'SLUICE_LEDGER_SPECULOS must be the URL of an emulator on this machine',
    {
      next: 'SLUICE_LEDGER_SPECULOS=http://127.0.0.1:5000',
    },
  )
}
