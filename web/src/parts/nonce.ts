import { setNonce } from 'get-nonce'

// While a dialog is open, the page below does not scroll: a style element says so, which the content security policy allows with this nonce only.
setNonce(document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '')
