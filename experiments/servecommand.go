package experiments

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"heddle/experiments/htmlreport"
)

func (c *cli) serveCommand() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "serve DIR",
		Short: "Show the results of a folder in a browser",
		Long: `Lists the results of heddle run --json that lie in a folder and those below it,
shows each as heddle report does, and compares several. It reads only, and
nothing outside the folder. Ctrl-C ends it.`,
		Example: `  heddle serve results
  heddle serve ~/.cache/heddle/results --addr 127.0.0.1:9000`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.serve(cmd.Context(), args[0], addr)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:8340", "listen at `HOST:PORT`; port 0: any that is free")
	return cmd
}

// serve shows a folder until ctx ends.
func (c *cli) serve(ctx context.Context, dir, addr string) error {
	folder, err := htmlreport.OpenFolder(dir)
	if err != nil {
		return &InputError{err}
	}
	defer folder.Close()
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return badInput("--addr %s: want HOST:PORT, such as 127.0.0.1:8340", addr)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return badInput("--addr %s: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		c.log.Warn().Msg("others on the network can read these results too")
	}
	fmt.Fprintf(c.stderr, "%s at http://%s, until Ctrl-C\n", dir, listener.Addr())
	server := &http.Server{
		Handler: folder, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	forget := context.AfterFunc(ctx, func() {
		patience, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		if server.Shutdown(patience) != nil {
			_ = server.Close()
		}
	})
	defer forget()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", addr, err)
	}
	return nil
}
