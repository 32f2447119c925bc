// The read-only page of a server: asks with the key of whoever looks, and only as often as somebody looks.
import { actionRows, draw, lacking, positionRows, said, strategyRows } from './rows.js'

const kept = 'sluice-api-key'
const second = 1_000
const live = 10 * second
const calm = 30 * second
const rare = 60 * second
const silence = 45 * second
/** What is known of a source that was not asked yet with this key. */
const nothing = { due: 0, askedAt: 0, shown: '', body: null, missing: null }
const at = (id) => document.getElementById(id)

/** What is chosen to be seen. */
const chosen = { wallet: '', status: '', page: 1, find: '', network: '', sort: 'apy' }

/** The query of a path, without what is not chosen. */
const query = (path, fields) => {
  const given = Object.entries(fields).filter(([, value]) => value !== '' && value !== 1)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

const positions = {
  path: () => (chosen.wallet === '' ? null : query('/page/positions', { address: chosen.wallet })),
  section: at('positions'),
  rows: positionRows,
  every: rare,
}
const actions = {
  path: () => query('/page/actions', { wallet: chosen.wallet, status: chosen.status, page: chosen.page }),
  section: at('actions'),
  rows: (body) => actionRows(body, chosen),
  every: calm,
}
const strategies = {
  path: () => '/page/strategies',
  section: at('strategies'),
  rows: (body) => strategyRows(body, chosen),
  every: rare,
}
const sources = [positions, actions, strategies].map((source) => Object.assign(source, nothing))

let key = handed() ?? stored()
// Which key it is: what was asked with an earlier one is not shown any more.
let turnOfKey = 0
let timer
let isAsking = false
let failures = 0
let waitsUntil = 0
// The stream of what changes; `null` where none is read.
let stream = null
let streamDue = 0
let streamFailures = 0
let lastEvent = null

at('enter').addEventListener('submit', (event) => {
  event.preventDefault()
  const typed = at('key').value.trim()
  at('key').value = ''
  if (/^[\x21-\x7e]{1,500}$/.test(typed)) use(typed)
  else say('wrong', 'That is no API key.')
})
at('forget').addEventListener('click', () => {
  use(null)
  at('key').focus()
})
at('choose').addEventListener('submit', (event) => {
  event.preventDefault()
  const typed = at('wallet').value.trim()
  if (typed !== '' && !/^0x[0-9a-fA-F]{40}$/.test(typed))
    return say('wrong', 'That is no address of a wallet.')
  Object.assign(chosen, { wallet: typed, page: 1 })
  again(positions)
  again(actions)
})
at('action-status').addEventListener('change', ({ target }) => {
  Object.assign(chosen, { status: target.value, page: 1 })
  again(actions)
})
for (const [name, step] of [
  ['newer', -1],
  ['older', 1],
])
  at(name).addEventListener('click', () => {
    chosen.page = Math.max(1, chosen.page + step)
    again(actions)
  })
for (const [name, event] of [
  ['find', 'input'],
  ['network', 'change'],
  ['sort', 'change'],
])
  at(name).addEventListener(event, ({ target }) => {
    chosen[name] = target.value
    redraw(strategies)
  })
// Nobody looks at a hidden page, and its key has better uses.
document.addEventListener('visibilitychange', turn)
turn()

/** Asks a source at once: something else of it was chosen. */
function again(source) {
  turnOfKey += 1
  Object.assign(source, nothing)
  if (source.path() === null) source.section.hidden = true
  turn()
}

/** Draws what a source said last as it is chosen now. */
function redraw(source) {
  if (source.body !== null) draw(source.section, source.rows(source.body))
}

function use(next) {
  key = next
  turnOfKey += 1
  failures = 0
  waitsUntil = 0
  stream?.abort()
  streamDue = 0
  streamFailures = 0
  lastEvent = null
  store(key)
  for (const source of sources) {
    Object.assign(source, nothing)
    source.section.hidden = true
    draw(source.section, source.rows({ items: [] }))
  }
  document.body.classList.remove('stale')
  say('begin', 'Loading.')
  turn()
}

/** Asks for what is due, one after the other, and comes back when the next is. */
async function turn() {
  clearTimeout(timer)
  at('enter').hidden = key !== null
  at('forget').hidden = key === null
  at('choose').hidden = key === null
  if (document.hidden) stream?.abort()
  if (document.hidden || isAsking) return
  const mine = turnOfKey
  isAsking = true
  try {
    if (key === null) await health()
    else if (waitsUntil <= Date.now())
      for (const source of sources.filter((one) => one.path() !== null))
        if (source.due <= Date.now() && !(await ask(source, mine))) break
  } finally {
    isAsking = false
  }
  if (key !== null && actions.body !== null && waitsUntil <= Date.now()) listen()
  const next =
    key === null
      ? Date.now() + calm
      : Math.min(...sources.filter((one) => one.path() !== null).map(({ due }) => due))
  // A key that was entered meanwhile has not been asked with yet.
  const wait = mine === turnOfKey ? Math.max(next, waitsUntil) - Date.now() : 0
  clearTimeout(timer)
  timer = setTimeout(turn, Math.max(wait, 0))
}

/**
 * Reads what changes as the server announces it, so that actions are asked for when one changes, and otherwise rarely. A server without events, or a stream that breaks, leaves
 * the page to ask as often as before.
 */
async function listen() {
  if (stream !== null || streamDue > Date.now()) return
  const mine = new AbortController()
  stream = mine
  let wasLive = false
  let waits = 0
  let silent
  const heard = () => {
    clearTimeout(silent)
    silent = setTimeout(() => mine.abort(), silence)
  }
  try {
    heard()
    const response = await fetch('/updates', {
      headers: { 'x-api-key': key, ...(lastEvent !== null && { 'last-event-id': lastEvent }) },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: mine.signal,
    })
    waits = Number(response.headers.get('retry-after')) * second || 0
    // Where there are no events there will be none.
    if (response.status >= 400 && response.status < 500 && response.status !== 429) waits = Infinity
    if (response.status !== 200) throw new Error('no stream')
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      heard()
      // Something may have changed before it was open.
      if (!wasLive) changed()
      wasLive = true
      mine.isLive = true
      const lines = (rest + value).split('\n')
      rest = lines.pop()
      for (const line of lines) hear(line)
    }
  } catch {
    // It is tried again later, and the page asks meanwhile.
  } finally {
    clearTimeout(silent)
    if (stream === mine) {
      stream = null
      streamFailures = wasLive ? 0 : streamFailures + 1
      streamDue = Date.now() + Math.max(3 * second * 2 ** Math.min(streamFailures, 4), waits)
      actions.due = Math.min(actions.due, actions.askedAt + intervalOf(actions.body))
      turn()
    }
  }
}

/** Takes a line of the stream: where it is, and what changed. */
function hear(line) {
  const [, field, value] = /^(id|event): (.*)$/.exec(line) ?? []
  if (field === 'id') lastEvent = value
  if (field === 'event' && /^(action|swap)\./.test(value)) changed()
}

/** Asks for the actions soon: many changes at once are one reason to ask. */
function changed() {
  actions.due = Math.min(actions.due, Math.max(Date.now(), actions.askedAt + 2 * second))
  turn()
}

/** How often actions are asked for: rarely, if their changes are announced. */
const intervalOf = (body) => {
  if (stream?.isLive) return rare
  return body?.items.some(isMoving) ? live : calm
}

/** Shows what a source says. Whether the next one may be asked as well. */
async function ask(source, mine) {
  const found = await answer(source.path(), { 'x-api-key': key })
  if (mine !== turnOfKey) return false
  if (found?.status === 200) {
    show(source, found.body, found.missing)
    return true
  }
  if (found?.status === 401) {
    use(null)
    say('wrong', 'This server does not know that key, or it was revoked.')
    return false
  }
  document.body.classList.add('stale')
  failures += 1
  const wait = (found?.retryAfter || Math.min(2.5 * 2 ** failures, 60)) * second
  waitsUntil = Date.now() + wait
  const again = `It is asked again in ${Math.ceil(wait / second)} s.`
  if (found === undefined) say('gone', `The server does not answer. ${again}`)
  else if (found.status === 429) say('limited', `This key has asked as often as it may. ${again}`)
  else say('failing', `${said(found.body?.error?.message ?? 'The server cannot answer')}. ${again}`)
  return false
}

function show(source, body, missing) {
  source.missing = missing
  const text = JSON.stringify(body)
  source.body = body
  if (source === actions) turnPages(body)
  if (source === strategies) offerNetworks(body)
  // What did not change is left alone: somebody may be reading or selecting it.
  if (text !== source.shown) draw(source.section, source.rows(body))
  source.shown = text
  source.section.hidden = false
  source.askedAt = Date.now()
  if (source === actions) source.every = intervalOf(body)
  source.due = Date.now() + source.every
  failures = 0
  document.body.classList.remove('stale')
  say('well', `Up to date at ${new Date().toISOString().slice(11, 19)} UTC${lacking(sources)}.`)
}

/** Which pages of actions there are beside this one. */
function turnPages({ page, hasMore }) {
  at('newer').disabled = !(page > 1)
  at('older').disabled = !hasMore
}

/** Offers the networks that the strategies are on. */
function offerNetworks({ items }) {
  const names = [...new Set(items.map(({ network }) => said(network)))].toSorted()
  const select = at('network')
  if (
    [...select.options]
      .slice(1)
      .map(({ value }) => value)
      .join('\n') === names.join('\n')
  )
    return
  select.replaceChildren(new Option('all', ''), ...names.map((name) => new Option(name, name)))
  if (!names.includes(chosen.network)) chosen.network = ''
  select.value = chosen.network
}

/** Whether an action may change while somebody looks: what nobody has signed for ten minutes waits for a person. */
const isMoving = ({ finishedAt, createdAt }) =>
  finishedAt === null && Date.parse(createdAt) > Date.now() - 600 * second

async function health() {
  const found = await answer('/healthz', {})
  // A key that was just refused is what there is to say, as long as the rest is well.
  if (key !== null || (found?.status === 200 && at('status').dataset.state === 'wrong')) return
  if (found === undefined) say('gone', 'The server does not answer.')
  else if (found.status === 200)
    say('well', 'The server is up. Enter a key to see its strategies and actions.')
  else say('failing', 'The server is up, and cannot answer requests.')
}

/** The answer to one question; `undefined` where nobody answers. */
async function answer(path, headers) {
  try {
    const response = await fetch(path, {
      headers,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(calm),
    })
    const retryAfter = Number(response.headers.get('retry-after')) || 0
    const missing = response.headers.get('x-sluice-missing')
    return { status: response.status, retryAfter, missing, body: await response.json() }
  } catch {
    return undefined // Not there, too slow, or not this server: it is the same for whoever looks.
  }
}

function say(state, words) {
  at('status').dataset.state = state
  if (at('status').textContent !== words) at('status').textContent = words
}

/** The key that the opening file of the server hands over; it is kept out of the address and the history. */
function handed() {
  const [, given] = /^#key=([\x21-\x7e]{1,500})$/.exec(location.hash) ?? []
  if (location.hash.startsWith('#key=')) history.replaceState(null, '', location.pathname)
  if (given !== undefined) store(given)
  return given ?? null
}

/** The key of this tab. A browser that keeps nothing asks for it each time. */
function stored() {
  try {
    return sessionStorage.getItem(kept)
  } catch {
    return null // Kept nowhere, which is all that is lost.
  }
}

function store(value) {
  try {
    if (value === null) sessionStorage.removeItem(kept)
    else sessionStorage.setItem(kept, value)
  } catch {
    return // As above: this page has it, and the next one asks.
  }
}
