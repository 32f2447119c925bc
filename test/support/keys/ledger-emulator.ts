import { keccak256 } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { hexToBytes } from 'viem/utils'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { listener } from '../services/listener.ts'

/** The decision on a transaction that the device shows. */
export type AtTheDevice =
  | 'confirms'
  | 'rejects'
  | 'says nothing'
  | 'pulls the cable'
  | { status: string }
  | { signs: (unsigned: Hex) => Hex | Promise<Hex> }

/** A device with one key: the APDU responses of its Ethereum app and its system. Defaults are those of a device that is ready. */
export type LedgerState = {
  app: string
  version: string
  isLocked: boolean
  blindSigning: boolean
  person: AtTheDevice
  /** Never answers. */
  isSilent: boolean
  /** The only key, used for every path. */
  key: Hex
}

/** An emulated Ledger behind the HTTP interface of Speculos. */
export type EmulatedLedger = {
  url: string
  address: Address
  /** Changes the device while it runs. */
  set: (state: Partial<LedgerState>) => void
  /** The signing requests that the device showed: path and unsigned bytes. */
  shown: { path: string; unsigned: Hex }[]
  /** Resolves once the device has shown this number of transactions. */
  shows: (count?: number) => Promise<void>
  stop: () => Promise<void>
}

const status = { ok: '9000', rejected: '6985', noData: '6a80', noInstruction: '6d00', locked: '5515' }
const ready: Omit<LedgerState, 'key'> = {
  app: 'Ethereum',
  version: '1.17.0',
  isLocked: false,
  blindSigning: true,
  person: 'confirms',
  isSilent: false,
}

/** Starts a device on a free local port, which signs with `key` for every path. */
export async function startLedger(key: Hex, first: Partial<LedgerState> = {}): Promise<EmulatedLedger> {
  let state: LedgerState = { ...ready, key, ...first }
  let open: { path: string; bytes: Buffer } | undefined
  const shown: EmulatedLedger['shown'] = []
  const watching = new Set<() => void>()

  const account = () => privateKeyToAccount(state.key)
  /** The response to an APDU with its status word; nothing if the device is silent or gone. */
  const answer = async (apdu: Buffer): Promise<string | 'silence' | 'gone'> => {
    const [cla, ins, p1] = apdu
    const data = apdu.subarray(5, 5 + (apdu[4] ?? 0))
    if (state.isSilent) return 'silence'
    if (state.isLocked) return status.locked
    if (cla === 0xb0 && ins === 0x01)
      return `01${lengthValue(state.app)}${lengthValue(state.version)}010140${status.ok}`
    if (cla !== 0xe0 || state.app !== 'Ethereum') return status.noInstruction
    if (ins === 0x06)
      return `${state.blindSigning ? '01' : '00'}${state.version.split('.').map(byte).join('')}${status.ok}`
    if (ins === 0x02) {
      const { publicKey, address } = account()
      return `41${publicKey.slice(2)}${lengthValue(address.slice(2))}${status.ok}`
    }
    return ins === 0x04 ? transaction(p1 === 0x00, data) : status.noInstruction
  }

  const transaction = async (isFirst: boolean, data: Buffer): Promise<string> => {
    if (isFirst) {
      const { path, rest } = pathIn(data)
      open = { path, bytes: rest }
    } else if (open) open.bytes = Buffer.concat([open.bytes, data])
    if (!open) return status.noData
    if (open.bytes.length < wholeLength(open.bytes)) return status.ok
    const { path, bytes } = open
    open = undefined
    const unsigned: Hex = `0x${bytes.toString('hex')}`
    shown.push({ path, unsigned })
    for (const tell of watching) tell()
    const { person } = state
    if (!state.blindSigning && hasData(bytes)) return status.noData
    if (person === 'rejects') return status.rejected
    if (person === 'says nothing') return 'silence'
    if (person === 'pulls the cable') return 'gone'
    if (typeof person === 'object' && 'status' in person) return person.status
    const signed = typeof person === 'object' ? await person.signs(unsigned) : unsigned
    const { r, s, yParity } = await sign({ hash: keccak256(signed), privateKey: state.key })
    return `${byte(yParity ?? 0)}${r.slice(2)}${s.slice(2)}${status.ok}`
  }

  const server = await listener(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    if (request.method !== 'POST' || request.url !== '/apdu') return void response.writeHead(404).end()
    const said = await answer(Buffer.from((JSON.parse(text) as { data: string }).data, 'hex'))
    if (said === 'silence') return
    if (said === 'gone') return void request.socket.destroy()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: said }))
  })
  return {
    url: server.url,
    address: account().address,
    shown,
    set: (more) => {
      state = { ...state, ...more }
    },
    shows: (count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (shown.length < count) return
          watching.delete(look)
          resolve()
        }
        watching.add(look)
        look()
      }),
    stop: server.close,
  }
}

const byte = (value: number | string): string => Number(value).toString(16).padStart(2, '0')
const lengthValue = (text: string): string => `${byte(text.length)}${Buffer.from(text).toString('hex')}`

function pathIn(data: Buffer): { path: string; rest: Buffer } {
  const count = data[0] ?? 0
  const parts = Array.from({ length: count }, (_, at) => data.readUInt32BE(1 + 4 * at))
  const words = parts.map((part) => (part >= 0x80000000 ? `${part - 0x80000000}'` : `${part}`))
  return { path: `m/${words.join('/')}`, rest: data.subarray(1 + 4 * count) }
}

/** The length of the transaction whose type and RLP list begin here. */
function wholeLength(bytes: Buffer): number {
  const first = bytes[1]
  if (first === undefined) return Number.POSITIVE_INFINITY
  if (first <= 0xf7) return 2 + (first - 0xc0)
  const digits = first - 0xf7
  if (bytes.length < 2 + digits) return Number.POSITIVE_INFINITY
  return 2 + digits + bytes.readUIntBE(2, digits)
}

/** Whether a type 2 transaction has calldata: its eighth field is not empty. */
function hasData(bytes: Buffer): boolean {
  const payload = hexToBytes(`0x${bytes.subarray(1).toString('hex')}`)
  let at = payload[0]! <= 0xf7 ? 1 : 1 + payload[0]! - 0xf7
  for (let field = 0; field < 7; field++) {
    const head = payload[at]!
    at += head < 0x80 ? 1 : 1 + (head - 0x80)
  }
  return payload[at] !== 0x80
}
