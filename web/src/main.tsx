import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { askAgain, client } from './ask/answer'
import { exported } from './ask/exported'
import { signIn, tokenOf } from './ask/session'
import { onTip } from './ask/stream'
import { Failure } from './parts/Answer'
import { loadTips } from './parts/Tip'
import { router } from './router'
import './style/theme.css'
import './style/base.css'
import './style/shell.css'
import './style/parts.css'
import './style/pages.css'

const root = createRoot(document.getElementById('root') ?? document.body)

function show(): void {
  root.render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
  setTimeout(loadTips)
  if (exported !== undefined) return
  onTip(() => {
    void client.invalidateQueries({ queryKey: ['meta'] })
    askAgain()
  })
}

// Whoever opens the address of a server that was started anew in a tab of the old one only changes what follows #.
if (exported === undefined) addEventListener('hashchange', () => tokenOf(location.hash) && location.reload())

const signedIn = exported === undefined ? signIn() : Promise.resolve()
signedIn.then(show, (e: unknown) => {
  root.render(
    <main className="page">
      <h1>Sign-in failed</h1>
      <Failure error={e instanceof Error ? e : new Error(String(e))} />
    </main>,
  )
})
