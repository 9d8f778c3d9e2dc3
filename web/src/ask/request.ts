import { exported, readExported } from './exported'
import { Refusal } from './refusal'

export { Refusal }

const base = '/api/v1/'

// get asks for an answer. The browser keeps answers by their ETag and asks whether they changed, so an answer that did not
// costs one 304.
export async function get<T>(path: string, query: URLSearchParams, signal?: AbortSignal): Promise<T> {
  if (exported !== undefined) return readExported(exported, path, query) as Promise<T>
  const asked = query.size > 0 ? `${path}?${query}` : path
  return (await open(asked, { cache: 'no-cache', signal })).json() as Promise<T>
}

// post sends a question whose text is too long for a URL.
export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const response = await open(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  return (response.status === 204 ? undefined : await response.json()) as T
}

// open asks, and returns an answer that is no refusal.
export async function open(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(base + path, { credentials: 'same-origin', ...init })
  } catch (e) {
    if (e instanceof DOMException && e.name === 'AbortError') throw e
    throw new Refusal(0, 'the server of these pages does not answer; is "reconciler ui" still running?')
  }
  if (!response.ok) throw await refusal(response)
  return response
}

async function refusal(response: Response): Promise<Refusal> {
  let body: unknown
  try {
    body = await response.json()
  } catch {
    // No JSON: the status says what there is to say.
  }
  const said = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
  const sentence = typeof said === 'string' && said !== '' ? said : `the server answered ${response.status} ${response.statusText}`.trim()
  const { headers, status } = response
  return new Refusal(status, sentence, body, headers.get('Daros-Sign-In') ?? '', Number(headers.get('Retry-After') ?? 0) * 1_000)
}
