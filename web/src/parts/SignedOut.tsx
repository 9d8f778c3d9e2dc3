// SignedOut says how to sign in: at the server, which leads back to this page, or with the address that was printed.
export function SignedOut({ at }: { at: string }) {
  return (
    <>
      <strong>This browser is not signed in.</strong>{' '}
      {at ? (
        <a href={`${at}?to=${encodeURIComponent(location.pathname + location.search)}`}>Sign in</a>
      ) : (
        <>
          Open the address that <code>reconciler ui</code> printed when it started.
        </>
      )}
    </>
  )
}
