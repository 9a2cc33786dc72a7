module broadside/servers/go

go 1.19
