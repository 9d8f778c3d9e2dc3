import { post, Refusal } from './request'

const most = 3

export const tokenOf = (hash: string): string | null => new URLSearchParams(hash.slice(1)).get('token')

// signIn exchanges the token in the fragment of the printed URL for a cookie. The fragment goes at once, so that neither the
// history nor a copied address holds the token.
export async function signIn(): Promise<void> {
  const token = tokenOf(location.hash)
  if (!token) return
  history.replaceState(history.state, '', location.pathname + location.search)
  for (let n = 1; ; n++) {
    try {
      return await post<void>('session', { token })
    } catch (e) {
      if (!(e instanceof Refusal && e.status === 429) || n === most) throw e
      await new Promise((r) => setTimeout(r, e.after))
    }
  }
}

// signOut ends the visit of this browser, and shows what is left then.
export async function signOut(path: string): Promise<void> {
  await fetch(path, { method: 'POST', credentials: 'same-origin' })
  location.reload()
}
